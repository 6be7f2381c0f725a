import Report
import Workload

/// The lines of a text file on the command line, without empty ones and without comments; see ``InputBounds/phrases``.
package enum InputLines {
    /// Lines that a reader could not use: the first ten are shown, all are counted.
    package struct Complaints {
        package private(set) var count = 0

        package init() {}

        package mutating func add(_ sentence: String) {
            count += 1
            if count <= ReadReport.maximumExampleCount { Terminal.note(sentence) }
        }
    }

    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - body: Gets the bytes without blanks at their ends, and the place, `file:line`.
    package static func forEach(path: String, _ body: ([UInt8], String) throws -> Void) throws {
        let source = try ByteSource(path: path, bounds: .phrases)
        let name = source.name
        var report = ReadReport(source: name)
        var reader = LineReader(source)
        while try reader.advance(&report) {
            let number = reader.lineNumber
            let line = reader.withLine { line in line.withUnsafeBufferPointer { Array($0) } }
            let trimmed = line.trimmingBlanks
            guard let first = trimmed.first, first != UInt8(ascii: "#") else { continue }
            try body(Array(trimmed), "\(name):\(number)")
        }
        for example in report.examples { Terminal.note("\(example)") }
    }
}

extension [UInt8] {
    fileprivate var trimmingBlanks: ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        let rest = drop(while: isBlank)
        let end = rest.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? rest.startIndex
        return rest[rest.startIndex..<end]
    }
}
