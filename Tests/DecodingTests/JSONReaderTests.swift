import Decoding
import Foundation
import Testing

struct JSONReaderTests {
    @Test func readsWhatFoundationReads() throws {
        #expect(try JSONReader.read([String].self, from: Data(#"["a", "b"]"#.utf8)) == ["a", "b"])
        #expect(throws: DecodingError.self) { try JSONReader.read([String].self, from: Data("{}".utf8)) }
        #expect(throws: DecodingError.self) { try JSONReader.read([String].self, from: Data()) }
    }

    /// With each depth around the one that Foundation allows, and each way to stop there.
    @Test(arguments: [1, 2, 510, 511, 512, 513, 514, 600, 5_000])
    func nestingIsRefusedWhereverItStops(depth: Int) {
        for opening in ["[", "{\"a\":", "[{\"a\":"] {
            for end in ["", "[", "{", "\"", " ", "\n", "[\n", "{\"", "{\"a\"", "1"] {
                let text = Data((String(repeating: opening, count: depth) + end).utf8)
                #expect(throws: DecodingError.self) { try JSONReader.read([String].self, from: text) }
            }
        }
    }
}
