import DeviceFleet
import DeviceNetwork
import Foundation
import ServerTestSupport
import Testing

/// The state of a server that runs as a process of its own: its lock, and a disk that is full for a while.
struct ServeStateTests {
    @Test func aSecondProcessCannotUseTheFileUnderAnyName() async throws {
        try await withDirectory { directory in
            let server = try #require(try await ServeProcess.start(in: directory))
            let files = FileManager.default
            try files.createSymbolicLink(
                atPath: directory + "/link.sqlite", withDestinationPath: "state.sqlite")
            for name in ["state.sqlite", "link.sqlite"] {
                let second = try await Program.run(["serve", "issuer", "--state", name], in: directory)
                #expect(second.status != 0)
                #expect(second.errors.contains("state.sqlite: another server uses it"))
            }
            try files.linkItem(atPath: directory + "/state.sqlite", toPath: directory + "/hard.sqlite")
            let second = try await Program.run(["serve", "issuer", "--state", "hard.sqlite"], in: directory)
            #expect(second.status != 0)
            #expect(second.errors.contains("hard links"))
            server.program.signal(SIGTERM)
            #expect(await server.program.outcome().status == 0)
        }
    }

    private static let prlimit = "/usr/bin/prlimit"

    /// The limit of a file's size stands for a full disk: SQLite's writes fail in the same way.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: prlimit)))
    func aFullDiskRefusesWhatItCannotStoreAndNothingElse() async throws {
        let caller = try HTTPCaller(.patient)
        try await withDirectory { directory in
            func limit(_ server: ServeProcess, _ byteCount: String) throws {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: Self.prlimit)
                process.arguments = [
                    "--pid", "\(server.program.identifier)", "--fsize=\(byteCount):unlimited",
                ]
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
            }
            let prelude = "trap '' XFSZ;"
            let server = try #require(try await ServeProcess.start(in: directory, prelude: prelude))
            var devices: [RememberingDevice] = []
            for number in 0..<12 {
                var device = RememberingDevice("\(number)", server.url, caller)
                try await device.prepare(tokens: 5)
                devices.append(device)
            }
            // Room for some of the keys, which take a quarter of a megabyte each.
            try limit(server, "1500000")
            func upload(_ number: Int) async throws -> Int {
                do {
                    try await devices[number].uploadKey()
                    return 200
                } catch let error as RememberingDevice.Answered {
                    return error.status
                }
            }
            var statuses: [Int] = []
            for number in devices.indices { statuses.append(try await upload(number)) }
            let stored = statuses.filter { $0 == 200 }.count
            #expect((1..<12).contains(stored))
            #expect(statuses.filter { $0 == 503 }.count == 12 - stored)
            let bytes = try await server.metric("urlfilter_evaluation_key_bytes", caller)
            for number in devices.indices where !devices[number].hasKey { _ = try await upload(number) }
            #expect(try await server.metric("urlfilter_evaluation_keys", caller) == stored)
            #expect(try await server.metric("urlfilter_evaluation_key_bytes", caller) == bytes)
            // Tokens without a daily limit need no room.
            try await devices[0].fetchToken()

            try limit(server, "unlimited")
            let last = try #require(devices.indices.last { !devices[$0].hasKey })
            #expect(try await upload(last) == 200)
            #expect(try await server.metric("urlfilter_evaluation_keys", caller) == stored + 1)
            for number in devices.indices where devices[number].hasKey {
                #expect(try await devices[number].lookUp() == [true, false])
            }
            server.program.signal(SIGKILL)
            let log = await server.program.outcome().errors
            #expect(log.split(separator: "state cannot be written").count == 2, "\(log)")
            #expect(log.contains("state can be written again"))

            let restarted = try #require(try await ServeProcess.start(in: directory))
            #expect(try await restarted.metric("urlfilter_evaluation_keys", caller) == stored + 1)
            for number in devices.indices {
                devices[number].url = restarted.url
                try await devices[number].fetchToken()
                #expect(try await devices[number].fetchConfiguration() == !devices[number].hasKey)
            }
            restarted.program.signal(SIGKILL)
            _ = await restarted.program.outcome()
        }
        await caller.shutdown()
    }
}
