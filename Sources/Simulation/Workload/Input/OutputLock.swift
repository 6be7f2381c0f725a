import Decoding
import Foundation

/// Makes a process the only one that writes some place, until it lets go or ends in whatever way.
///
/// An advisory lock (flock) on a small file, which holds the number of the owner's process and is removed with the
/// lock. A file that a killed process left is no lock: the system drops the lock with the process.
///
/// A class, because it owns a file descriptor and a name on the disk.
package final class OutputLock {
    private let path: String
    private var descriptor: Int32?

    /// - Parameters:
    ///   - path: Of the lock's own file, made if needed.
    ///   - subject: What is locked, for messages.
    package init(path: String, for subject: String) throws(OutputLockError) {
        self.path = path
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw .impossible(subject, reason: systemReason()) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let isHeld = errno == EWOULDBLOCK
                let reason = systemReason()
                let owner = Self.owner(descriptor)
                close(descriptor)
                throw isHeld ? .held(subject, owner: owner) : .impossible(subject, reason: reason)
            }
            // The owner before may have removed the file between the two calls; then this lock locks nothing.
            guard Self.isSameFile(descriptor, path) else {
                close(descriptor)
                continue
            }
            let text = "\(getpid())\n"
            ftruncate(descriptor, 0)
            pwrite(descriptor, text, text.utf8.count, 0)
            self.descriptor = descriptor
            return
        }
    }

    deinit { release() }

    /// Lets the next one in.
    package func release() {
        guard let descriptor else { return }
        unlink(path)
        close(descriptor)
        self.descriptor = nil
    }

    private static func owner(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
    }

    private static func isSameFile(_ descriptor: Int32, _ path: String) -> Bool {
        var held = stat()
        var named = stat()
        return fstat(descriptor, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino
            && held.st_dev == named.st_dev
    }
}

package enum OutputLockError: InputFault, Equatable, CustomStringConvertible {
    /// The number of the process, if it has written it already.
    case held(String, owner: Int32?)
    case impossible(String, reason: String)

    package var isOfInput: Bool {
        if case .held = self { return true }
        return false
    }

    package var description: String {
        switch self {
        case .held(let subject, let owner):
            "\(subject): is being written by \(owner.map { "process \($0)" } ?? "another process"); "
                + "wait until it has ended, or choose another place"
        case .impossible(let subject, let reason): "\(subject): cannot be locked: \(reason)"
        }
    }
}
