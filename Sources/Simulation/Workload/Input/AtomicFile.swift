import Foundation
import Synchronization

/// A file that appears under its name only when it is complete.
///
/// The bytes go to a temporary name in the same folder; ``commit()`` flushes
/// them to the disk and renames. Until then, and after any failure, a file of
/// that name that existed before is untouched and the temporary file is
/// removed. A path that names something else than a regular file, for example
/// `/dev/stdout` or a pipe, is written directly: there is nothing to replace.
///
/// A temporary file is locked while it is written. The next file of the same
/// name removes those that nobody locks: a killed process left them.
///
///     try AtomicFile.write(to: "filter.plist") { file in try file.write(bytes) }
///
/// A class, because it owns a file descriptor and a name on the disk.
package final class AtomicFile {
    /// Bytes collected before a system call.
    private static let bufferSize = 64 * 1024

    package let path: String
    private let temporaryPath: String?
    private var descriptor: Int32?
    private var buffer: [UInt8] = []

    /// Ends the name of a temporary file, after a number.
    private static let suffix = ".partial"
    /// Temporary files of this process.
    private static let unfinished = Mutex<Set<String>>([])

    /// - Parameters:
    ///   - path: A file that exists keeps its permissions.
    ///   - isPrivate: Only its owner may read it: for URLs, tokens, and what people browsed or will be asked for
    ///     (traces, results of runs and replays, reports, PIR input). Others, as prefilters and cost profiles, are
    ///     meant for devices or other machines. A stricter umask holds in any case.
    package init(path: String, isPrivate: Bool = false) throws(InputError) {
        self.path = path
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw .isDirectory(path: path) }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            temporaryPath = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            // A link keeps pointing to the file that is replaced.
            let target = realPath(path) ?? path
            Self.removeLeftovers(of: target)
            let mode = exists ? status.st_mode & 0o7777 : isPrivate ? 0o600 : 0o666
            (temporaryPath, descriptor) = Self.makeTemporaryFile(for: target, mode: mode)
        }
        guard let descriptor, descriptor >= 0 else {
            self.descriptor = nil
            throw .unwritable(path: path, reason: systemReason())
        }
    }

    deinit {
        discard()
    }

    /// Opens a file, lets `body` write it, and commits. A failure leaves nothing behind.
    package static func write(
        to path: String, isPrivate: Bool = false, _ body: (AtomicFile) throws -> Void
    ) throws {
        let file = try AtomicFile(path: path, isPrivate: isPrivate)
        do {
            try body(file)
            try file.commit()
        } catch {
            file.discard()
            throw error
        }
    }

    package func write(_ bytes: some Collection<UInt8>) throws(InputError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    package func write(_ text: String) throws(InputError) {
        try write(text.utf8)
    }

    /// Makes the file durable and gives it its name.
    package func commit() throws(InputError) {
        guard let descriptor else { return }
        try flush()
        if let temporaryPath {
            guard fsync(descriptor) == 0 else { throw .unwritable(path: path, reason: systemReason()) }
            let target = realPath(path) ?? path
            guard rename(temporaryPath, target) == 0 else {
                throw .unwritable(path: path, reason: systemReason())
            }
            _ = Self.unfinished.withLock { $0.remove(temporaryPath) }
            Self.synchronizeFolder(of: target)
        }
        self.descriptor = nil
        guard close(descriptor) == 0 else { throw .unwritable(path: path, reason: systemReason()) }
    }

    /// Gives the file up: what was written is removed.
    package func discard() {
        guard let descriptor else { return }
        // Removed while it is locked, or another process might take it for a leftover.
        if let temporaryPath, Self.unfinished.withLock({ $0.remove(temporaryPath) }) != nil {
            unlink(temporaryPath)
        }
        close(descriptor)
        self.descriptor = nil
    }

    /// Removes the temporary files of this process, which is about to end.
    package static func removeUnfinished() {
        unfinished.withLock { paths in
            for path in paths { unlink(path) }
        }
    }

    private static func makeTemporaryFile(for target: String, mode: mode_t) -> (path: String, Int32) {
        while true {
            let path = "\(target).\(String(UInt64.random(in: .min ... .max), radix: 36))\(suffix)"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            guard descriptor >= 0 else { return (path, descriptor) }
            _ = unfinished.withLock { $0.insert(path) }
            // A file system without locks has no leftovers either, as far as anybody can tell.
            flock(descriptor, LOCK_EX)
            var status = stat()
            // Between the two calls another process may have taken it for a leftover.
            if fstat(descriptor, &status) != 0 || status.st_nlink > 0 { return (path, descriptor) }
            _ = unfinished.withLock { $0.remove(path) }
            close(descriptor)
        }
    }

    private static func removeLeftovers(of target: String) {
        let start = target.lastIndex(of: "/").map(target.index(after:)) ?? target.startIndex
        let (folder, prefix) = (target[..<start], target[start...] + ".")
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: folder.isEmpty ? "." : String(folder))
        for name in names ?? [] where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let number = name.dropFirst(prefix.count).dropLast(suffix.count)
            guard UInt64(number, radix: 36) != nil else { continue }
            let descriptor = open(folder + name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(folder + name) }
            close(descriptor)
        }
    }

    private func flush() throws(InputError) {
        precondition(descriptor != nil, "the file was committed or discarded before")
        guard let descriptor else { return }
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    Darwin.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                #else
                    Glibc.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                #endif
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw .unwritable(path: path, reason: systemReason())
            }
            written += count
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Makes the new name itself survive a power cut. Some file systems refuse
    /// to synchronize a folder; the contents are safe by then, so that is no error.
    private static func synchronizeFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
