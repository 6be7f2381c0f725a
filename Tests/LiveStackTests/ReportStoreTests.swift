import Foundation
import LiveStack
import ObliviousHTTP
import Synchronization
import Testing

/// Reports of blocked URLs, on their way to files.
struct ReportStoreTests {
    private static func status(_ store: ReportStore, json: String = "[\"a.example\"]") -> Int {
        store.take(
            BinaryHTTPRequest(
                method: "POST", authority: "a.example", path: "/report",
                fields: [BinaryHTTPField("content-type", "application/json")], content: Array(json.utf8))
        ).status
    }

    @Test func reportsTakeNoMoreThanTheirRoom() async throws {
        try await Fixture.withStateFile { path in
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let files = FileManager.default
            // Somebody else's, and an earlier server's.
            #expect(files.createFile(atPath: directory + "/list.txt", contents: Data(count: 100_000)))
            #expect(files.createFile(atPath: directory + "/0.txtpb", contents: Data(count: 4_097)))
            let refused = Mutex(0)
            // Five blocks of the disk.
            let store = ReportStore(storageLimit: 5 * 4_096) { refused.withLock { $0 += 1 } }
            store.write(to: directory)
            #expect((0..<5).map { _ in Self.status(store) } == [200, 200, 200, 503, 503])
            #expect(refused.withLock { $0 } == 2)
            #expect(try files.contentsOfDirectory(atPath: directory).count == 5)
            // A reload looks again.
            try files.removeItem(atPath: directory + "/0.txtpb")
            store.write(to: directory)
            #expect((0..<3).map { _ in Self.status(store) } == [200, 200, 503])
        }
    }

    /// Found by fuzzing: 513 of them ended the process.
    @Test(arguments: [1, 512, 513, 514, 10_000]) func bracketsAreNoReport(count: Int) {
        #expect(Self.status(ReportStore(), json: String(repeating: "[", count: count)) == 400)
    }
}
