import Foundation
import Synchronization
import Workload

#if canImport(CDispatch)
    // Along with others it declares `stat`, and the compiler takes the first.
    import CDispatch
#endif

#if canImport(Glibc)
    import Glibc

    /// `F_OFD_SETLK`, which glibc shows to GNU programs only.
    private let setOpenFileLock: Int32 = 37
#else
    private let setOpenFileLock = F_OFD_SETLK
#endif

/// The state file, locked for one server: a second one would know only half of the spent tokens.
///
/// What is locked is the file, not a name: neither a symbolic nor a hard link leads around it. The lock is of the kind
/// that belongs to an open file (`F_OFD_SETLK`), on a byte that SQLite never locks, so the two do not see each other.
/// The file is opened before SQLite opens it and closed after: closing any descriptor of a file drops the POSIX locks
/// that the process has on it (sqlite.org/howtocorrupt.html, section 2.2).
///
/// It has to be on a local disk. A network file system may keep such locks to one machine or drop them, and SQLite's
/// write-ahead log needs memory that all its users share.
final class StateFile: Sendable {
    /// Files that servers of this process use. To open one once more only to find it locked would, when it is closed
    /// again, drop SQLite's locks.
    private static let inUse = Mutex<Set<FileIdentity>>([])

    /// Absolute and without symbolic links, so that what stands beside the file has one name.
    let path: String
    private let identity: FileIdentity
    /// Identity of SQLite's log, once that is there.
    private let log = Mutex<FileIdentity?>(nil)
    private let descriptor: Mutex<Int32?>

    /// Opens or makes the file, which only its owner may read: whoever has it can make tokens and read requests.
    init(path given: String) throws(LiveStackError) {
        let opened = Self.inUse.withLock { inUse in
            Result { () throws(LiveStackError) in try Self.open(given, &inUse) }
        }
        let (descriptor, identity) = try opened.get()
        self.descriptor = Mutex(descriptor)
        self.identity = identity
        path = realPath(given) ?? given
    }

    deinit { close() }

    /// Lets another server use the file. To be called when SQLite has closed it.
    func close() {
        descriptor.withLock { descriptor in
            guard let open = descriptor else { return }
            Self.inUse.withLock { inUse in
                Foundation.close(open)
                inUse.remove(identity)
            }
            descriptor = nil
        }
    }

    /// Notes SQLite's log, which is there as long as SQLite has the file open.
    func noteLog() { log.withLock { $0 = FileIdentity(path: path + "-wal") } }

    /// Throws if the file or its log are no longer what a server finds that starts now: what is written would be lost.
    func checkPlace() throws(LiveStackError) {
        let log = log.withLock { $0 }
        guard FileIdentity(path: path) == identity, log == nil || FileIdentity(path: path + "-wal") == log
        else {
            throw .unusableState(
                path,
                reason: "it or its -wal was deleted, moved or replaced while the server runs; "
                    + "put both back, or restart the server")
        }
    }

    private static func open(
        _ path: String, _ inUse: inout Set<FileIdentity>
    ) throws(LiveStackError) -> (descriptor: Int32, FileIdentity) {
        let taken = LiveStackError.unusableState(
            realPath(path) ?? path, reason: "another server uses it; give each server a file of its own")
        if let present = FileIdentity(path: path), inUse.contains(present) { throw taken }
        let descriptor = Foundation.open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unusableState(path, reason: String(cString: strerror(errno)))
        }
        do throws(LiveStackError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw .unusableState(path, reason: "it is not a file")
            }
            // After a crash, what was acknowledged last stands in a log beside the name that the server was given.
            guard status.st_nlink == 1 else {
                throw .unusableState(
                    realPath(path) ?? path,
                    reason:
                        "it has \(status.st_nlink) names (hard links), and its log stands beside one of them; "
                        + "leave it one name, for example by turning the others into copies")
            }
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = .max - 1
            lock.l_len = 1
            guard fcntl(descriptor, setOpenFileLock, &lock) == 0 else {
                guard errno == EAGAIN || errno == EACCES else {
                    throw .unusableState(
                        realPath(path) ?? path,
                        reason: "it cannot be locked: \(String(cString: strerror(errno)))")
                }
                throw taken
            }
            // One that was copied there by hand may be readable for all.
            if status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
            let identity = FileIdentity(status)
            inUse.insert(identity)
            return (descriptor, identity)
        } catch {
            Foundation.close(descriptor)
            throw error
        }
    }
}

/// Numbers that tell a file from others, whatever it is called.
private struct FileIdentity: Hashable {
    private let device: UInt64
    private let number: UInt64

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// Nil if there is none. Symbolic links are followed.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// A directory locked for one server.
final class DirectoryLock: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Makes the directory, for its owner alone, if there is none.
    init(path: String) throws(LiveStackError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .unusableState(path, reason: String(cString: strerror(errno)))
        }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .unusableState(path, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Foundation.close(descriptor)
            throw .unusableState(
                path, reason: "another server uses it; give each server a directory of its own, not a link")
        }
        // One that was made by hand may let everybody look in.
        fchmod(descriptor, 0o700)
        self.descriptor = Mutex(descriptor)
    }

    deinit { close() }

    func close() {
        descriptor.withLock { descriptor in
            if let open = descriptor { Foundation.close(open) }
            descriptor = nil
        }
    }
}
