extension ByteSource {
    /// How the data are stored.
    package enum Compression: String, Codable, Sendable {
        case none
        case gzip
        case zstd

        /// Recognises the magic numbers of RFC 1952 (with method 8, deflate) and
        /// RFC 8878 (a frame, or a skippable frame in front of one).
        init(magic bytes: ArraySlice<UInt8>) {
            if bytes.starts(with: [0x1F, 0x8B, 0x08]) {
                self = .gzip
            } else if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
                self = .zstd
            } else if bytes.count >= 4, bytes[0] & 0xF0 == 0x50, bytes[1...].starts(with: [0x2A, 0x4D, 0x18])
            {
                self = .zstd
            } else {
                self = .none
            }
        }
    }
}
