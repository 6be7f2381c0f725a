import CZlib
import CZstd

/// How a file is compressed while it is written, by the ending of its name.
enum OutputEncoding {
    case plain, gzip, zstd

    init(path: String) {
        self = path.hasSuffix(".gz") ? .gzip : path.hasSuffix(".zst") ? .zstd : .plain
    }

    /// - Returns: `nil` for plain text.
    func makeEncoder() -> (any StreamEncoder)? {
        switch self {
        case .plain: nil
        case .gzip: GzipEncoder()
        case .zstd: ZstdEncoder()
        }
    }
}

/// Bytes as one gzip member (RFC 1952).
package enum Gzip {
    /// - Returns: `nil` if there is no memory for it.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? { GzipEncoder().encode(bytes, isLast: true) }
}

/// Compresses a stream piece by piece.
protocol StreamEncoder: AnyObject {
    /// - Parameter isLast: Ends the stream; no call may follow.
    /// - Returns: `nil` if the library gave up, which only lack of memory makes it do.
    func encode(_ bytes: [UInt8], isLast: Bool) -> [UInt8]?
}

private let pieceSize = 64 * 1024

/// Deflates into one gzip member (RFC 1952) without a name or time, so that equal inputs make equal files.
///
/// A class, because zlib keeps a pointer to its state that is freed once.
private final class GzipEncoder: StreamEncoder {
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15: the largest window of the format. 16: write a gzip header. 8: the usual memory.
        let status = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        isReady = status == Z_OK
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    func encode(_ bytes: [UInt8], isLast: Bool) -> [UInt8]? {
        guard isReady, bytes.count < Int(UInt32.max) else { return nil }
        var input = bytes
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: pieceSize)
        let isDone = input.withUnsafeMutableBufferPointer { source in
            stream.pointee.next_in = source.baseAddress
            stream.pointee.avail_in = UInt32(source.count)
            while true {
                let (status, produced) = piece.withUnsafeMutableBufferPointer { target in
                    stream.pointee.next_out = target.baseAddress
                    stream.pointee.avail_out = UInt32(target.count)
                    let status = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    return (status, target.count - Int(stream.pointee.avail_out))
                }
                output.append(contentsOf: piece[..<produced])
                guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { return false }
                if isLast ? status == Z_STREAM_END : produced < piece.count { return true }
                if status == Z_BUF_ERROR { return !isLast }
            }
        }
        return isDone ? output : nil
    }
}

/// Compresses into one Zstandard frame (RFC 8878).
///
/// A class, because the library's context is freed once.
private final class ZstdEncoder: StreamEncoder {
    private let context: OpaquePointer?

    init() { context = ZSTD_createCCtx() }

    deinit { ZSTD_freeCCtx(context) }

    func encode(_ bytes: [UInt8], isLast: Bool) -> [UInt8]? {
        guard let context else { return nil }
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: pieceSize)
        let isDone = bytes.withUnsafeBufferPointer { source in
            var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
            while true {
                let (left, produced) = piece.withUnsafeMutableBufferPointer { target in
                    var result = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
                    let left = ZSTD_compressStream2(
                        context, &result, &input, isLast ? ZSTD_e_end : ZSTD_e_continue)
                    return (left, result.pos)
                }
                guard ZSTD_isError(left) == 0 else { return false }
                output.append(contentsOf: piece[..<produced])
                if isLast ? left == 0 : input.pos == input.size { return true }
            }
        }
        return isDone ? output : nil
    }
}
