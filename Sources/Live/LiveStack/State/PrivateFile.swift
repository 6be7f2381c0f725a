import Foundation

/// A file that only its owner may read, from its first byte on.
enum PrivateFile {
    /// Writes a new file.
    ///
    /// - Returns: False if that is not possible; there is no file then.
    static func create(_ path: String, _ content: Data) -> Bool {
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let handle = FileHandle(fileDescriptor: descriptor)
        do {
            try handle.write(contentsOf: content)
            try handle.close()
            return true
        } catch {
            unlink(path)
            return false
        }
    }
}
