/// One decompressor behind a ``ByteSource``.
///
/// It never sees the whole stream: each call turns some input into some
/// output, so the memory used does not depend on how far the data expand.
protocol StreamDecoder: AnyObject {
    /// Whether the stream is complete if no further input comes.
    var mayEnd: Bool { get }

    /// Consumes input, produces output, or both. Neither means that more input is needed.
    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFault) -> StreamProgress
}

/// Progress of one call of a decoder, in bytes.
struct StreamProgress {
    var consumed: Int
    var produced: Int
}

/// Data that a decompressor refuses, in the decompressor's words.
struct StreamFault: Error {
    var detail: String
}
