import DeviceFleet
import DeviceNetwork
import Foundation
import ObliviousHTTP
import Parties
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

/// Servers that are killed at any moment.
///
/// Environment: `URLFILTER_KILLS`, how often (4); `URLFILTER_SEED`, when.
struct KillTests {
    private static let tokensPerDay = 12

    @Test func nothingAcknowledgedIsLostWhenTheServerIsKilled() async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["URLFILTER_KILLS"].flatMap { Int($0) } ?? 4
        let seed = environment["URLFILTER_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...999_999)
        print("kills: \(kills), URLFILTER_SEED=\(seed)")
        var random = SplitMix(seed: seed)
        var tally = Tally()
        let caller = try HTTPCaller(.patient)
        try await withDirectory { directory in
            var devices: [RememberingDevice] = []
            for round in 0...kills {
                // Two lists in turn, so that there are copies of an earlier one as well.
                let entryCount = round % 2 == 0 ? 20 : 4_000
                let isKilledEarly = round < kills && random.next() % 4 == 0
                let delay = Duration.milliseconds(random.next() % (isKilledEarly ? 600 : 400))
                let server = try await ServeProcess.start(
                    in: directory, list: entryCount,
                    options: ["--tokens-per-user-per-day", "\(Self.tokensPerDay)"]
                ) { program in
                    guard isKilledEarly else { return }
                    Task {
                        try await Task.sleep(for: delay)
                        program.signal(SIGKILL)
                    }
                }
                guard let server else {
                    #expect(isKilledEarly, "round \(round): the server does not start")
                    tally.killsWhileStarting += 1
                    continue
                }
                if !isKilledEarly {
                    try Self.checkCopies(directory)
                    for device in devices { try await Self.check(device, server.url, caller, &tally) }
                    devices = []
                    if round < kills {
                        devices = await Self.load(server, round, caller, for: delay)
                        tally.note(devices)
                    } else {
                        server.program.signal(SIGKILL)
                    }
                }
                #expect(await server.program.outcome().status == -Int(SIGKILL), "round \(round)")
            }
        }
        await caller.shutdown()
        print("kills: \(tally)")
    }

    /// Devices that do whatever devices do until the server is gone.
    private static func load(
        _ server: ServeProcess, _ round: Int, _ caller: HTTPCaller, for duration: Duration
    ) async -> [RememberingDevice] {
        await withTaskGroup(of: RememberingDevice.self) { group in
            for number in 0..<6 {
                group.addTask {
                    var device = RememberingDevice("\(round)-\(number)", server.url, caller)
                    do {
                        try await device.prepare(tokens: 9)
                        while true {
                            try await device.uploadKey()
                            _ = try await device.lookUp()
                            try await device.fetchToken()
                        }
                    } catch {
                        // Killed, or out of tokens.
                    }
                    return device
                }
            }
            try? await Task.sleep(for: duration + .milliseconds(300))
            server.program.signal(SIGKILL)
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// What was acknowledged to a device before the kill holds after it.
    private static func check(
        _ device: RememberingDevice, _ url: String, _ caller: HTTPCaller, _ tally: inout Tally
    ) async throws {
        var device = device
        device.url = url
        for request in device.spent {
            #expect(try await device.repeated(request) == 401, "a spent token is taken again")
            tally.spentChecked += 1
        }
        if device.hasKey, !device.hasOpenUpload {
            if device.client.tokenCount == 0 { try await device.fetchToken() }
            // By the configuration from before the kill, which is that of the other list by now.
            #expect(try await device.lookUp() == [true, false], "an acknowledged key is gone")
            tally.keysChecked += 1
        }
        // The day's count: what was acknowledged, and at most the one that got no answer.
        let acknowledged = device.issuedCount
        guard device.client.knowsTokenKey, device.day == RememberingDevice.today else { return }
        do {
            while true { try await device.fetchToken() }
        } catch let error as RememberingDevice.Answered {
            #expect(error.status == 429)
        }
        #expect(device.issuedCount <= tokensPerDay, "the day's count was forgotten")
        #expect(device.issuedCount >= tokensPerDay - device.openIssueCount, "tokens were counted twice")
        tally.issuedChecked += acknowledged
    }

    /// One copy of each list, complete.
    private static func checkCopies(_ directory: String) throws {
        let files = FileManager.default
        let copies = try files.contentsOfDirectory(atPath: directory + "/state.sqlite-versions")
        #expect((1...2).contains(copies.count))
        for copy in copies {
            let names = try files.contentsOfDirectory(atPath: "\(directory)/state.sqlite-versions/\(copy)")
            #expect(Set(names) == ["0.bin", "0.params.txtpb"])
        }
    }

    private struct Tally: CustomStringConvertible {
        var killsWhileStarting = 0
        var killsUnderLoad = 0
        var spentChecked = 0
        var issuedChecked = 0
        var keysChecked = 0
        var openUploads = 0
        var openIssues = 0

        mutating func note(_ devices: [RememberingDevice]) {
            killsUnderLoad += 1
            openUploads += devices.filter(\.hasOpenUpload).count
            openIssues += devices.reduce(0) { $0 + $1.openIssueCount }
        }

        var description: String {
            "\(killsUnderLoad) under load, \(killsWhileStarting) while starting; checked \(spentChecked) spent "
                + "tokens, \(issuedChecked) issued ones, \(keysChecked) keys; killed amid \(openUploads) uploads "
                + "and \(openIssues) token requests"
        }
    }
}
