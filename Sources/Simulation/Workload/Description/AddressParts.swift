/// Facts that a description needs about one URL: lengths, depth, and numbers that stand for its host and
/// site.
package struct AddressParts: Hashable, Sendable {
    /// Bytes of the URL.
    package let length: Int
    /// Bytes without query and fragment.
    package let addressLength: Int
    /// Bytes of the query with its question mark; 0 without one.
    package let queryLength: Int
    /// Bytes of the path; 0 when there is none.
    package let pathLength: Int
    /// Slashes of the path, at least 1.
    package let pathDepth: Int
    /// The path is empty or `/`, and there is no query.
    package let isFront: Bool
    /// Hash of the URL without its fragment.
    package let url: UInt64
    /// Hash of the host, capital letters made small.
    package let host: UInt64
    /// Hash of the registrable domain, by the list of public suffixes; of an address, the whole of it.
    package let domain: UInt64

    package init(_ url: String, suffixes: PublicSuffixes = .builtIn) {
        var url = url
        self = url.withUTF8 { AddressParts(bytes: $0, suffixes) }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, _ suffixes: PublicSuffixes) {
        let slash = UInt8(ascii: "/")
        var hostStart = 0
        for index in 0..<max(0, min(bytes.count - 2, 12))
        where bytes[index] == UInt8(ascii: ":") && bytes[index + 1] == slash && bytes[index + 2] == slash {
            hostStart = index + 3
            break
        }
        var hostEnd = hostStart
        while hostEnd < bytes.count, bytes[hostEnd] != slash, bytes[hostEnd] != UInt8(ascii: "?"),
            bytes[hostEnd] != UInt8(ascii: "#")
        {
            if bytes[hostEnd] == UInt8(ascii: "@") { hostStart = hostEnd + 1 }
            hostEnd += 1
        }
        var query = hostEnd
        var slashes = 0
        while query < bytes.count, bytes[query] != UInt8(ascii: "?"), bytes[query] != UInt8(ascii: "#") {
            if bytes[query] == slash { slashes += 1 }
            query += 1
        }
        var end = query
        while end < bytes.count, bytes[end] != UInt8(ascii: "#") { end += 1 }
        var nameEnd = hostEnd
        while nameEnd > hostStart, bytes[nameEnd - 1].isDigit { nameEnd -= 1 }
        if nameEnd == hostStart || bytes[nameEnd - 1] != UInt8(ascii: ":") {
            nameEnd = hostEnd
        } else {
            nameEnd -= 1
        }
        length = bytes.count
        addressLength = query
        queryLength = end - query
        pathLength = query - hostEnd
        pathDepth = max(slashes, 1)
        isFront = query <= hostEnd + 1 && end == query
        self.url = TextHash.of(bytes[0..<end])
        host = TextHash.of(lowercased: bytes[hostStart..<nameEnd])
        let name = bytes[hostStart..<nameEnd]
        let isAddress = name.last.map { $0.isDigit || $0 == UInt8(ascii: "]") } ?? false
        domain = TextHash.of(
            lowercased: bytes[(isAddress ? hostStart : suffixes.siteStart(of: name))..<nameEnd])
    }
}

/// A 64-bit hash that is the same on every machine and in every run.
enum TextHash {
    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return mixed(hash)
    }

    static func of(lowercased bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte.lowercased)) &* 0x0000_0100_0000_01B3 }
        return mixed(hash)
    }

    static func of(_ text: String) -> UInt64 { of(text.utf8) }

    /// FNV-1a leaves its low bits weak; samples are chosen by them.
    private static func mixed(_ hash: UInt64) -> UInt64 {
        let mixed = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ mixed >> 32
    }
}
