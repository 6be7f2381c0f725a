import CZlib
import CZstd
import Foundation
import TestSupport
import Workload

/// A folder that exists while `body` runs.
func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try body(folder.url)
}

/// One gzip member, compressed by zlib.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    deflateInit2_(
        &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size))
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 64)
    let room = output.count
    let count = input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            stream.next_out = target.baseAddress
            stream.avail_out = UInt32(room)
            deflate(&stream, Z_FINISH)
            return room - Int(stream.avail_out)
        }
    }
    deflateEnd(&stream)
    return Array(output[..<count])
}

/// One Zstandard frame, compressed by the reference library.
func zstd(_ bytes: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
    let count = ZSTD_compress(&output, output.count, bytes, bytes.count, 3)
    return Array(output[..<count])
}

/// Everything a source delivers, read in pieces of the given size.
func contents(of source: ByteSource, piece: Int = 1000) throws -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: piece)
    while true {
        let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
        if count == 0 { return result }
        result += buffer[..<count]
    }
}

/// All lines of some bytes, with what the reader reports about them.
func lines(
    of bytes: [UInt8], maximum: Int = LineReader.defaultMaximumLineLength
) throws -> (lines: [[UInt8]], numbers: [Int], offsets: [Int], report: ReadReport) {
    var reader = LineReader(try ByteSource(bytes: bytes, name: "test"), maximumLineLength: maximum)
    var report = ReadReport(source: "test")
    var result: (lines: [[UInt8]], numbers: [Int], offsets: [Int]) = ([], [], [])
    while try reader.advance(&report) {
        let line = reader.withLine { line in line.withUnsafeBufferPointer { Array($0) } }
        result.lines.append(line)
        result.numbers.append(reader.lineNumber)
        result.offsets.append(reader.byteOffset)
    }
    return (result.lines, result.numbers, result.offsets, report)
}

/// Damaged copies of `bytes`: bytes changed, removed, inserted and repeated.
func damagedCopies(of bytes: [UInt8], count: Int, seed: UInt64 = 1) -> [[UInt8]] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { _ in
        var copy = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !copy.isEmpty {
            let place = Int.random(in: 0..<copy.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: copy[place] = UInt8.random(in: .min ... .max, using: &random)
            case 1: copy[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: copy.remove(at: place)
            case 3:
                copy.insert(
                    Array("\"\\{}[]<>:,\n\t #/|$\u{0}".utf8).randomElement(using: &random) ?? 0, at: place)
            default:
                let end = Int.random(in: place...min(copy.count, place + 20), using: &random)
                copy.insert(contentsOf: copy[place..<end], at: place)
            }
        }
        return copy
    }
}
