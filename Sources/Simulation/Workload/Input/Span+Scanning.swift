import Foundation

/// Names of the bytes that the text formats give a meaning to.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let delete: UInt8 = 0x7F
}

extension UInt8 {
    /// Space, tab, carriage return, vertical tab or form feed: a blank inside a line.
    @inline(__always)
    var isBlank: Bool { self == ASCII.space || (self >= ASCII.tab && self <= ASCII.carriageReturn) }

    @inline(__always)
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    @inline(__always)
    var isLetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }

    @inline(__always)
    var isUppercase: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }

    @inline(__always)
    var lowercased: UInt8 { isUppercase ? self | 0x20 : self }

    /// The value of a hexadecimal digit.
    var hexadecimalValue: UInt8? {
        if isDigit { return self - UInt8(ascii: "0") }
        let letter = self | 0x20
        guard letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "f") else { return nil }
        return letter - UInt8(ascii: "a") + 10
    }
}

extension Span<UInt8> {
    /// The part without the blanks at both ends.
    var trimmedRange: Range<Int> { trim(0..<count) }

    func trim(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// Position of the first `byte` at or after `start`.
    func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        guard start < count else { return nil }
        return withUnsafeBufferPointer { bytes -> Int? in
            guard let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(byte), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }
    }

    func lastIndex(of byte: UInt8) -> Int? {
        var index = count
        while index > 0 {
            index -= 1
            if self[index] == byte { return index }
        }
        return nil
    }

    /// The next run of bytes that are not blank, at or after `start`.
    func word(from start: Int) -> Range<Int>? {
        var lower = start
        while lower < count, self[lower].isBlank { lower += 1 }
        guard lower < count else { return nil }
        var upper = lower
        while upper < count, !self[upper].isBlank { upper += 1 }
        return lower..<upper
    }

    func starts(with text: StaticString, at start: Int = 0) -> Bool {
        let length = text.utf8CodeUnitCount
        guard start >= 0, count - start >= length else { return false }
        for index in 0..<length where self[start + index] != text.utf8Start[index] { return false }
        return true
    }

    /// Position of the first occurrence of `text` at or after `start`.
    func firstIndex(of text: StaticString, from start: Int = 0) -> Int? {
        let first = text.utf8Start[0]
        var position = start
        while let index = firstIndex(of: first, from: position) {
            if starts(with: text, at: index) { return index }
            position = index + 1
        }
        return nil
    }

    /// Whether the bytes are `text`, where ASCII letters match in both cases.
    func equals(ignoringCase text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index].lowercased != text.utf8Start[index].lowercased {
            return false
        }
        return true
    }

    func equals(_ text: String) -> Bool {
        count == text.utf8.count && text.utf8.enumerated().allSatisfy { self[$0.offset] == $0.element }
    }

    /// The bytes as text, or `nil` if they are not UTF-8.
    var string: String? {
        withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
    }
}
