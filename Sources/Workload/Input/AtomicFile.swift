import Foundation

/// A file that appears under its name only when it is complete.
///
/// The bytes go to a temporary name in the same folder; ``commit()`` flushes
/// them to the disk and renames. Until then, and after any failure, a file of
/// that name that existed before is untouched and the temporary file is
/// removed. A path that names something else than a regular file, for example
/// `/dev/stdout` or a pipe, is written directly: there is nothing to replace.
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

    package init(path: String) throws(InputError) {
        self.path = path
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw .isDirectory(path: path) }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            temporaryPath = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            // A link keeps pointing to the file that is replaced.
            let target = Self.resolvingLinks(path)
            let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
            let temporary = "\(target).\(suffix).partial"
            temporaryPath = temporary
            let mode = exists ? status.st_mode & 0o7777 : 0o666
            descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
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
    package static func write(to path: String, _ body: (AtomicFile) throws -> Void) throws {
        let file = try AtomicFile(path: path)
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
            let target = Self.resolvingLinks(path)
            guard rename(temporaryPath, target) == 0 else {
                throw .unwritable(path: path, reason: systemReason())
            }
            Self.synchronizeFolder(of: target)
        }
        self.descriptor = nil
        guard close(descriptor) == 0 else { throw .unwritable(path: path, reason: systemReason()) }
    }

    /// Gives the file up: what was written is removed.
    package func discard() {
        guard let descriptor else { return }
        close(descriptor)
        self.descriptor = nil
        if let temporaryPath { unlink(temporaryPath) }
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

    private static func resolvingLinks(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
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
