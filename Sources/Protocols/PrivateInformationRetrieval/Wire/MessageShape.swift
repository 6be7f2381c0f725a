/// Places of messages inside messages of one kind, so that a peer's can be counted before any is made.
///
/// A message of no bytes takes two bytes on the wire and some microseconds to make, so the length of a body alone does
/// not bound the work of reading it.
package struct MessageShape: Sendable {
    /// Messages by field number. Fields that are left out hold none.
    private let parts: [UInt64: MessageShape]

    private static let leaf = MessageShape(parts: [:])
    private static let ciphertext = MessageShape(parts: [1: leaf, 2: leaf])
    private static let keySwitchKey = MessageShape(parts: [1: MessageShape(parts: [1: ciphertext])])
    private static let galoisKey = MessageShape(parts: [1: MessageShape(parts: [2: keySwitchKey])])
    private static let evaluationKey = MessageShape(
        parts: [
            1: leaf,
            2: MessageShape(parts: [1: galoisKey, 2: MessageShape(parts: [1: keySwitchKey])]),
        ])

    /// `ConfigRequest`; its strings count as messages.
    static let configRequest = MessageShape(parts: [1: leaf, 2: leaf])
    /// `EvaluationKeys`.
    static let evaluationKeys = MessageShape(parts: [1: evaluationKey])
    /// `Requests`.
    static let requests = MessageShape(
        parts: [
            1: MessageShape(
                parts: [
                    2: MessageShape(
                        parts: [2: MessageShape(parts: [1: ciphertext]), 3: leaf, 6: evaluationKey]),
                    4: leaf,
                ])
        ])
    /// A message with strings at number 1.
    package static let strings = MessageShape(parts: [1: leaf])

    /// Messages in the bytes of one.
    package struct Count: Sendable {
        /// Messages directly in the outer one.
        package fileprivate(set) var entries = 0
        /// Messages directly in it, and those in them.
        package fileprivate(set) var all = 0
    }

    /// Counts until there are more than `limit`.
    ///
    /// - Returns: Nil if the bytes are no message.
    /// - Complexity: O(`bytes.count`), a few nanoseconds per field.
    package func count(in bytes: [UInt8], limit: Int) -> Count? {
        var count = Count()
        let isWellFormed = bytes.withUnsafeBufferPointer { buffer in
            var scanner = FieldScanner(bytes: buffer, range: buffer.indices)
            return add(&scanner, to: &count, limit: limit, isOutermost: true)
        }
        return isWellFormed ? count : nil
    }

    private func add(
        _ scanner: inout FieldScanner, to count: inout Count, limit: Int, isOutermost: Bool
    ) -> Bool {
        while !scanner.isAtEnd, count.all <= limit {
            guard let field = scanner.next() else { return false }
            guard let part = parts[field.number], let content = field.content else { continue }
            count.all += 1
            if isOutermost { count.entries += 1 }
            var inner = FieldScanner(bytes: scanner.bytes, range: content)
            guard part.parts.isEmpty || part.add(&inner, to: &count, limit: limit, isOutermost: false) else {
                return false
            }
        }
        return true
    }
}

/// Goes over the fields of a message in the binary format of Protocol Buffers.
private struct FieldScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    private var place: Int
    private let end: Int

    init(bytes: UnsafeBufferPointer<UInt8>, range: Range<Int>) {
        self.bytes = bytes
        place = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { place >= end }

    /// - Returns: Number of the next field, and where its bytes are if it has a length; nil if there is none.
    mutating func next() -> (number: UInt64, content: Range<Int>?)? {
        guard let tag = integer() else { return nil }
        switch tag & 7 {
        case 0: return integer().map { _ in (tag >> 3, nil) }
        case 1: return skip(8).map { _ in (tag >> 3, nil) }
        case 2: return integer().flatMap { skip($0) }.map { (tag >> 3, $0) }
        case 5: return skip(4).map { _ in (tag >> 3, nil) }
        // Groups; nobody sends them any more.
        default: return nil
        }
    }

    private mutating func integer() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard place < end else { return nil }
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }

    private mutating func skip(_ count: UInt64) -> Range<Int>? {
        guard count <= UInt64(end - place) else { return nil }
        let start = place
        place += Int(count)
        return start..<place
    }
}
