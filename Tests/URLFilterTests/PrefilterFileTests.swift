import Foundation
import TestSupport
import Testing
import URLFilter

@Suite struct PrefilterFileTests {
    static func vector(_ name: String) throws -> Data { try VectorFile.data(name, in: .module) }

    /// The published filter as a property list with some keys replaced or, with `nil`, removed.
    static func list(_ changes: [String: String?] = [:]) -> Data {
        var values: [String: String?] = [
            "itemCount": "<integer>10</integer>", "falsePositiveTolerance": "<real>0.001</real>",
            "murmurSeed": "<integer>624656550</integer>", "bitCount": "<integer>144</integer>",
            "byteCount": "<integer>18</integer>", "hashCount": "<integer>10</integer>",
            "data": "<data>drTfH9rdTUxh8MMyOMHdj00m</data>",
        ]
        values.merge(changes) { $1 }
        let body = values.compactMap { key, value in value.map { "<key>\(key)</key>\($0)" } }.joined()
        return Data("<plist version=\"1.0\"><dict>\(body)</dict></plist>".utf8)
    }

    @Test(arguments: ["bloom_filter.plist", "bloom_filter-older.plist"])
    func applesFileIsRead(name: String) throws {
        let file = try PrefilterFile(propertyList: Self.vector(name))
        #expect(file.itemCount == 10)
        #expect(file.falsePositiveTolerance == 0.001)
        let parameters = try BloomParameters(bitCount: 144, hashCount: 10, murmurSeed: 624_656_550)
        #expect(file.filter.parameters == parameters)
        #expect(BloomFilterTests.publishedEntries.allSatisfy { file.filter.mayContain($0) })
        #expect(!file.filter.mayContain("example.org"))
    }

    @Test func writtenFilesEqualApplesByteForByte() throws {
        let file = try PrefilterFile(propertyList: Self.vector("bloom_filter.plist"))
        let (current, older) = (
            try Self.vector("bloom_filter.plist"), try Self.vector("bloom_filter-older.plist")
        )
        #expect(file.propertyList() == current)
        #expect(file.propertyList(.older) == older)
    }

    /// The truth is Foundation, which wrote the published files.
    @Test func dataOfAnyLengthAreWrittenAndReadAsByFoundation() throws {
        var random = SplitMix(seed: 24)
        for byteCount in Array(1...160) + [5000] {
            let parameters = try BloomParameters(
                bitCount: UInt32(byteCount) * 8, hashCount: 1, murmurSeed: 1)
            let filter = try BloomFilter(parameters: parameters, bytes: random.bytes(byteCount))
            let file = try PrefilterFile(filter: filter, itemCount: 1, falsePositiveTolerance: 0.05)
            let list: [String: Any] = [
                "itemCount": 1, "falsePositiveTolerance": 0.05, "murmurSeed": 1, "bitCount": byteCount * 8,
                "byteCount": byteCount, "hashCount": 1, "data": Data(filter.bytes),
            ]
            let expected = try PropertyListSerialization.data(
                fromPropertyList: list, format: .xml, options: 0)
            #expect(file.propertyList() == expected, "\(byteCount) bytes")
            #expect(try PrefilterFile(propertyList: expected) == file, "\(byteCount) bytes")
        }
    }

    @Test(
        "base64 in any layout is read",
        arguments: [
            "drTfH9rd\r\n\tTUxh8MMy OMHdj00m", "\n\nd rT fH9rdTUxh8MMyOMHdj00m\n",
        ])
    func layouts(text: String) throws {
        let file = try PrefilterFile(propertyList: Self.list(["data": "<data>\(text)</data>"]))
        #expect(try file == PrefilterFile(propertyList: Self.list()))
    }

    @Test(arguments: [
        "<data>drTfH9rd<!-- half -->TUxh8MMyOMHdj00m</data>",
        "<!-- <data>drTfH9rdTUxh8MMyOMHdj00m</data> -->",
        "<string><![CDATA[<data>drTfH9rdTUxh8MMyOMHdj00m</data>]]></string>",
    ])
    func dataThatAreNoneAreNotRead(text: String) {
        #expect(throws: PrefilterFileError.self) {
            try PrefilterFile(propertyList: Self.list(["data": text]))
        }
    }

    @Test(arguments: PrefilterFile.Generation.allCases)
    func whatIsWrittenIsReadBack(generation: PrefilterFile.Generation) throws {
        var random = SplitMix(seed: 5)
        for entryCount in [1, 17, 5000] {
            let parameters = try BloomParameters(
                entryCount: entryCount, falsePositiveTolerance: 0.01,
                murmurSeed: 1 + UInt32(random.below(1 << 31)))
            var filter = BloomFilter(parameters: parameters)
            for _ in 0..<entryCount { filter.insert(random.bytes(12)) }
            let file = try PrefilterFile(
                filter: filter, itemCount: entryCount, falsePositiveTolerance: 0.01)
            #expect(try PrefilterFile(propertyList: file.propertyList(generation)) == file)
        }
    }

    @Test func filesAreReadFromTheDisk() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path + "/filter"
        let file = try PrefilterFile(propertyList: Self.list())
        try file.propertyList().write(to: URL(fileURLWithPath: path))
        #expect(try PrefilterFile.read(path: path) == file)
        #expect(throws: PrefilterFileError.self) { try PrefilterFile.read(path: path, sizeLimit: 100) }
        #expect(throws: PrefilterFileError.unreadable(path: path + "x")) {
            try PrefilterFile.read(path: path + "x")
        }
    }

    @Test(
        "a wrong value is named",
        arguments: [
            (["bitCount": nil], .missingKey("bitCount")),
            (["data": nil], .missingKey("data")),
            (["itemCount": nil], .missingKey("itemCount")),
            (["falsePositiveTolerance": nil], .missingKey("falsePositiveTolerance")),
            (["murmurSeed": nil, "numberOfBits": "<integer>144</integer>"], .missingKey("numberOfHashes")),
            (["bitCount": "<real>144</real>"], .wrongType(key: "bitCount", expected: "an integer")),
            (["bitCount": "<true/>"], .wrongType(key: "bitCount", expected: "an integer")),
            (["hashCount": "<string>10</string>"], .wrongType(key: "hashCount", expected: "an integer")),
            (["data": "<string>drTf</string>"], .wrongType(key: "data", expected: "data")),
            (
                ["falsePositiveTolerance": "<date>2026-01-01T00:00:00Z</date>"],
                .wrongType(key: "falsePositiveTolerance", expected: "a number")
            ),
            (
                ["bitCount": "<integer>0</integer>"],
                .outOfRange(key: "bitCount", found: "0", allowed: "in 1...4294967295")
            ),
            (
                ["bitCount": "<integer>4294967296</integer>"],
                .outOfRange(key: "bitCount", found: "4294967296", allowed: "in 1...4294967295")
            ),
            (
                ["bitCount": "<integer>-1</integer>"],
                .outOfRange(key: "bitCount", found: "-1", allowed: "in 1...4294967295")
            ),
            (
                ["murmurSeed": "<integer>18446744073709551615</integer>"],
                .outOfRange(key: "murmurSeed", found: "18446744073709551615", allowed: "in 1...4294967295")
            ),
            (
                ["murmurSeed": "<integer>0</integer>"],
                .outOfRange(key: "murmurSeed", found: "0", allowed: "in 1...4294967295")
            ),
            (
                ["hashCount": "<integer>65</integer>"],
                .outOfRange(key: "hashCount", found: "65", allowed: "in 1...64")
            ),
            (
                ["itemCount": "<integer>-3</integer>"],
                .outOfRange(key: "itemCount", found: "-3", allowed: "in 0...9223372036854775807")
            ),
            (
                ["falsePositiveTolerance": "<integer>1</integer>"],
                .outOfRange(
                    key: "falsePositiveTolerance", found: "1.0", allowed: "greater than 0 and less than 1")
            ),
            (
                ["byteCount": "<integer>19</integer>"],
                .inconsistent(key: "byteCount", found: 19, expected: 18)
            ),
            (["data": "<data>drTf</data>"], .shape(.wrongByteCount(3, expected: 18))),
            (
                ["bitCount": "<integer>145</integer>"],
                .inconsistent(key: "byteCount", found: 18, expected: 19)
            ),
        ] as [([String: String?], PrefilterFileError)])
    func wrongValues(changes: [String: String?], expected: PrefilterFileError) {
        #expect(throws: expected) { try PrefilterFile(propertyList: Self.list(changes)) }
    }

    @Test(
        "what is not such a list is refused",
        arguments: [
            "", " ", "<", "<plist", "<plist><dict/>", "<plist/>", "<plist><string>x</string></plist>",
            "{ bitCount = 144; }", "<0fbd77>", "bplist00",
            "<plist><array><dict></dict></array></plist>",
            "<plist><dict><key>a</key><dict/></dict></plist>",
            String(repeating: "<plist>", count: 100_000) + "<dict>",
            "<plist>" + String(repeating: "<array>", count: 100_000),
            "<plist>" + String(repeating: "<dict><key>a</key>", count: 100_000),
            "{ x = \"<plist <dict\"; y = " + String(repeating: "(", count: 100_000),
            "<plist><dict>" + String(repeating: "<key>", count: 100_000),
        ])
    func notAList(text: String) {
        #expect(throws: PrefilterFileError.notAPropertyList) {
            try PrefilterFile(propertyList: Data(text.utf8))
        }
    }

    /// Foundation takes time by the square of the number of elements.
    @Test func aListOfThousandsOfElementsIsRefusedBeforeParsing() {
        func list(keys: Int) -> Data {
            let others = (0..<keys).map { ("other\($0)", Optional("<integer>1</integer>")) }
            return Self.list(Dictionary(uniqueKeysWithValues: others))
        }
        #expect(throws: Never.self) { try PrefilterFile(propertyList: list(keys: 100)) }
        #expect(throws: PrefilterFileError.notAPropertyList) {
            try PrefilterFile(propertyList: list(keys: 2000))
        }
    }

    @Test func largeFilesAreRefusedBeforeParsing() {
        #expect(throws: PrefilterFileError.tooLarge(byteCount: 1001, allowed: 1000)) {
            try PrefilterFile(propertyList: Data(count: 1001), sizeLimit: 1000)
        }
    }

    @Test func valuesThatNoFileCouldHaveAreRefused() throws {
        let filter = try PrefilterFile(propertyList: Self.list()).filter
        #expect(throws: PrefilterFileError.self) {
            try PrefilterFile(filter: filter, itemCount: -1, falsePositiveTolerance: 0.1)
        }
        #expect(throws: PrefilterFileError.self) {
            try PrefilterFile(filter: filter, itemCount: 1, falsePositiveTolerance: .nan)
        }
    }

    @Test func mutatedFilesAreReadOrRefusedButNeverTrap() throws {
        var random = SplitMix(seed: 6)
        let seeds = try ["bloom_filter.plist", "bloom_filter-older.plist"].map(Self.vector)
        let pieces = [
            "<dict>", "</dict>", "<key>", "<integer>", "<data>", "&amp;", "&#x0;", "<!--", "]]>", "99999999",
        ]
        var refused = 0
        for round in 0..<6000 {
            var data = Array(random.pick(seeds))
            for _ in 0...random.below(4) {
                let offset = random.below(data.count)
                switch random.below(5) {
                case 0: data[offset] = UInt8(truncatingIfNeeded: random.next())
                case 1: data.remove(at: offset)
                case 2: data.insert(contentsOf: random.pick(pieces).utf8, at: offset)
                case 3: data.removeSubrange(offset..<min(data.count, offset + 1 + random.below(40)))
                default: data = Array(data.prefix(max(1, offset)))
                }
                if data.isEmpty { data = [0] }
            }
            do {
                let file = try PrefilterFile(propertyList: Data(data))
                #expect(file.filter.bytes.count == file.filter.parameters.byteCount, "round \(round)")
            } catch {
                refused += 1
                #expect(!"\(error)".isEmpty)
            }
        }
        #expect(refused > 1000)
    }

    @Test func messagesSayWhatIsAllowed() {
        #expect(
            PrefilterFileError.outOfRange(key: "hashCount", found: "65", allowed: "in 1...64").description
                == "'hashCount' is 65; it must be in 1...64")
        #expect(
            PrefilterFileError.inconsistent(key: "byteCount", found: 19, expected: 18).description
                == "'byteCount' is 19; the other keys ask for 18")
    }
}
