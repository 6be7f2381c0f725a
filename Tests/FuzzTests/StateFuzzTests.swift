import DeviceFleet
import DeviceNetwork
import Foundation
import HomomorphicEncryption
import LiveStack
import ObliviousHTTP
import PrivacyPass
import PrivateInformationRetrieval
import TestSupport
import Testing

/// What servers and tools read that others wrote, or they themselves before: reports, journals, names.
@Suite struct StateFuzzTests {
    private struct Refused: Error {}

    /// A report that is taken becomes one file that holds nothing but printable ASCII.
    private static func report(_ decoder: StaticString, _ seeds: [[UInt8]], type: String, words: [String])
        throws
    {
        let folder = try TemporaryFolder()
        // The files are taken away behind its back.
        let store = ReportStore(storageLimit: .max)
        store.write(to: folder.path)
        try Fuzzer(
            decoder, seeds: seeds, words: words, grammar: words.isEmpty ? ProtobufGrammar.self : nil
        ).run { bytes in
            let response = store.take(
                BinaryHTTPRequest(
                    method: "POST", authority: "a.example", path: "/report",
                    fields: [BinaryHTTPField("content-type", type), BinaryHTTPField("user-agent", "a\"b")],
                    content: bytes))
            guard response.status == 200 else {
                #expect(response.status == 400)
                throw Refused()
            }
            #expect(folder.files.count == 1)
            for file in folder.files {
                let text = try folder.read(file)
                #expect(text.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
                try FileManager.default.removeItem(atPath: "\(folder.path)/\(file)")
            }
        }
    }

    @Test func reports() throws {
        let entries = ["a.example", "b.example/path?x=1", "\u{FC}\n\"\\.example"]
        let message = entries.reduce(into: [UInt8]()) { message, entry in
            message += [0x0A, UInt8(entry.utf8.count)]
            message += Array(entry.utf8)
        }
        try Self.report("report message", [message, []], type: "application/x-protobuf", words: [])
        try Self.report(
            "report JSON", [Array("[\"a.example\", \"b\\u00fc.example/x\"]".utf8), Array("[]".utf8)],
            type: "application/json", words: ["[", "]", "\"", ",", "\\u0000", "\\ud800", "null", "{\"a\":1}"])
    }

    /// Whatever stands in the journal, the files are those of an undisturbed run.
    @Test func processJournal() throws {
        let folder = try TemporaryFolder()
        var configuration = ProcessConfiguration(
            inputDatabase: "", outputDatabase: "\(folder.path)/SHARD_ID.bin",
            outputPirParameters: "\(folder.path)/SHARD_ID.params.txtpb",
            encryption: try EncryptionParameters(named: "insecure_n_8_logq_5x18_logt_5"))
        configuration.trialsPerShard = 0
        let rows = try KeywordRows((0..<8).map { (keyword: Array("host\($0).example".utf8), value: [0x31]) })
        let processor = try DatabaseProcessor(configuration)
        _ = try processor.run(rows, parallel: false)
        let journal = URL(fileURLWithPath: configuration.journalPath).lastPathComponent
        let seed = try folder.read(journal)
        let database = try folder.read("0.bin")
        try Fuzzer(
            "process journal", seeds: [seed], words: ["\n", "{", "}", "\"shard\":", "null", "-1", "\""]
        ).run {
            try folder.write($0, to: journal)
            let summaries = try processor.run(rows, parallel: false)
            #expect(try folder.read("0.bin") == database)
            guard summaries.allSatisfy({ $0.origin == .finishedBefore }) else { throw Refused() }
        }
    }

    @Test func namesOfResolversAndUsers() throws {
        let texts = [
            "127.0.0.53:53", "[fe80::1]:53", "nameserver 192.0.2.1\nnameserver ::1 # two\noptions ndots:5\n",
            "a.example", "Bearer dG9rZW4=",
        ]
        let words = [":", "[", "]", "%", ".", "65536", "-1", "nameserver ", "\u{FC}", "#", "Bearer ", "\n"]
        try Fuzzer("names of resolvers and users", texts: texts, words: words).run { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let readings = [
                TextRecordResolver.Address(text) != nil, !TextRecordResolver.resolvers(text).isEmpty,
                TextRecordQuery(number: 1, host: text).encoded != nil,
                (try? UserTokenTable.userToken(authorization: text)) != nil,
            ]
            guard readings.contains(true) else { throw Refused() }
        }
    }
}
