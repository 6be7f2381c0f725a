import CZstd

/// Decompresses Zstandard (RFC 8878) data of one or more frames.
///
/// A class, because it owns a C object that is freed once.
final class ZstdDecoder: StreamDecoder {
    /// Largest window accepted, as a power of two: 128 MiB, what `zstd` itself
    /// accepts without `--long`. A frame that asks for more is refused before
    /// memory is reserved.
    static let maximumWindowLog: Int32 = 27

    private let stream: OpaquePointer
    private(set) var mayEnd = true

    init() throws(StreamFault) {
        guard let stream = ZSTD_createDStream() else { throw StreamFault(detail: "zstd cannot start") }
        self.stream = stream
        ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.maximumWindowLog)
    }

    deinit {
        ZSTD_freeDStream(stream)
    }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFault) -> StreamProgress {
        // Asking with nothing to read after a complete frame would start a new one.
        if mayEnd && input.isEmpty { return StreamProgress(consumed: 0, produced: 0) }
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let status = ZSTD_decompressStream(stream, &target, &source)
        guard ZSTD_isError(status) == 0 else {
            throw StreamFault(detail: String(cString: ZSTD_getErrorName(status)))
        }
        mayEnd = status == 0
        return StreamProgress(consumed: source.pos, produced: target.pos)
    }
}
