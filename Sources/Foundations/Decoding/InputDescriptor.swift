#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Opens what is to be read, so that reading it can end: the one place where a name becomes a descriptor.
package enum InputDescriptor {
    package enum Fault: Error, Hashable, CustomStringConvertible {
        case missing
        case isDirectory
        /// Most devices never end, and those that do are no files of ours.
        case isDevice
        /// A named pipe that nobody opened to write, after so many seconds.
        case nobodyWrites(seconds: Int)
        case refused(reason: String)

        package var description: String {
            switch self {
            case .missing: "there is no such file"
            case .isDirectory: "this is a directory; name a file in it"
            case .isDevice: "this is a device; name a file, or a pipe that ends"
            case .nobodyWrites(let seconds):
                "this is a pipe, and nobody opened it to write for \(seconds) s; start what writes to it first"
            case .refused(let reason): "cannot be read: \(reason)"
            }
        }
    }

    /// How long a named pipe waits for its writer: assumption, what is started by hand in another window takes less.
    package static let patience = Duration.seconds(20)

    /// Opens a file, or a pipe without waiting for its writer; see ``awaitWriter(of:note:patience:_:)``.
    package static func open(_ path: String) throws(Fault) -> (descriptor: Int32, isPipe: Bool) {
        let descriptor = openReading(path)
        guard descriptor >= 0 else {
            throw errno == ENOENT ? .missing : .refused(reason: String(cString: strerror(errno)))
        }
        do throws(Fault) {
            let isPipe = try isPipe(descriptor)
            if !isPipe { letWait(descriptor) }
            return (descriptor, isPipe)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Whether the descriptor is a pipe; directories and devices are refused, but for a terminal and `/dev/null`.
    package static func isPipe(_ descriptor: Int32) throws(Fault) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw .isDirectory
        case S_IFBLK: throw .isDevice
        case S_IFCHR:
            var null = stat()
            let isNull = stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev
            guard isNull || isatty(descriptor) == 1 else { throw .isDevice }
            return false
        case S_IFIFO: return true
        default: return false
        }
    }

    /// Waits until a pipe that was opened by ``open(_:)`` has input, or its end, and makes reading it wait from then
    /// on.
    ///
    /// A writer that is there may take its time: it may be sorting. One that never comes is a mistake.
    ///
    /// - Parameters:
    ///   - note: When to call `tell`, because the user may not know what is waited for.
    ///   - patience: For a writer, from the note on.
    /// - Returns: A byte that came between two looks.
    package static func awaitWriter(
        of descriptor: Int32, note: Duration, patience: Duration = patience, _ tell: () -> Void = {}
    ) throws(Fault) -> UInt8? {
        defer { letWait(descriptor) }
        guard !isReady(descriptor, note) else { return nil }
        tell()
        guard !isReady(descriptor, patience) else { return nil }
        var byte: UInt8 = 0
        // It does not wait yet: no input from a writer that is there is an error of its own.
        switch systemRead(descriptor, &byte, 1) {
        case 1: return byte
        case 0: throw .nobodyWrites(seconds: Int(patience.components.seconds))
        default:
            _ = isReady(descriptor, nil)
            return nil
        }
    }

    /// Reads a file of a bounded size as a whole.
    ///
    /// - Returns: At most one byte more than `limit`, by which a caller knows that there is more.
    package static func contents(of path: String, limit: Int) throws(Fault) -> [UInt8] {
        let (descriptor, isPipe) = try open(path)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        if isPipe, let first = try awaitWriter(of: descriptor, note: .zero) { bytes.append(first) }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let wanted = min(chunk.count, limit + 1 - bytes.count)
            let count = try chunk.withUnsafeMutableBufferPointer { chunk throws(Fault) in
                let free = UnsafeMutableBufferPointer(rebasing: chunk[..<wanted])
                return try read(descriptor, into: UnsafeMutableRawBufferPointer(free))
            }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// Fills the front of the buffer with what comes next.
    ///
    /// - Returns: How many bytes; 0 at the end.
    package static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Fault) -> Int {
        while true {
            let count = systemRead(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw .refused(reason: String(cString: strerror(errno))) }
        }
    }

    /// - Parameter time: To wait at most; nil for ever.
    package static func isReady(_ descriptor: Int32, _ time: Duration?) -> Bool {
        let milliseconds = time.map { time in
            let (seconds, attoseconds) = time.components
            return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
        }
        var target = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&target, 1, milliseconds ?? -1)
            if count < 0, errno == EINTR { continue }
            return count != 0
        }
    }

    private static func letWait(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    private static func systemRead(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int
    ) -> Int {
        #if canImport(Darwin)
            Darwin.read(descriptor, buffer, count)
        #else
            Glibc.read(descriptor, buffer, count)
        #endif
    }

    private static func openReading(_ path: String) -> Int32 {
        #if canImport(Darwin)
            Darwin.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        #else
            Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        #endif
    }
}
