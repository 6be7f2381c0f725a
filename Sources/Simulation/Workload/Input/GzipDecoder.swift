import CZlib

/// Inflates gzip (RFC 1952) data of one or more members.
///
/// Zero bytes after a member are padding, as `gzip` treats them; any other
/// byte has to start another member.
///
/// A class, because zlib keeps a pointer to its state that is freed once.
final class GzipDecoder: StreamDecoder {
    /// zlib remembers the address of this structure, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isBetweenMembers = false

    var mayEnd: Bool { isBetweenMembers }

    init() throws(StreamFault) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15: the largest window of the format. 16: expect a gzip header.
        let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw StreamFault(detail: "zlib cannot start (status \(status))") }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFault) -> StreamProgress {
        var skipped = 0
        if isBetweenMembers {
            while skipped < input.count, input[skipped] == 0 { skipped += 1 }
            guard skipped < input.count else { return StreamProgress(consumed: skipped, produced: 0) }
            inflateReset(stream)
            isBetweenMembers = false
        }
        let given = min(input.count - skipped, Int(UInt32.max))
        let room = min(output.count, Int(UInt32.max))
        let source = input.baseAddress?.advanced(by: skipped).assumingMemoryBound(to: UInt8.self)
        // zlib only reads through next_in; the C type lacks the const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: source)
        stream.pointee.avail_in = UInt32(given)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(room)
        let status = inflate(stream, Z_NO_FLUSH)
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isBetweenMembers = true
        default:
            let words = stream.pointee.msg.map { String(cString: $0) }
            throw StreamFault(detail: words ?? "zlib status \(status)")
        }
        return StreamProgress(
            consumed: skipped + given - Int(stream.pointee.avail_in),
            produced: room - Int(stream.pointee.avail_out))
    }
}
