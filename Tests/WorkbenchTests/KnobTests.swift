import Foundation
import TestSupport
import Testing
import Workbench

/// The knobs of servers and of an outage, and what may be asked of results.
@Suite struct KnobTests {
    private static var servers: [String: Any] {
        [
            "devices": "20000", "lookups": "120", "peak": "4", "pir": "5ms", "gateway": "0.3ms",
            "way": "250ms",
            "limit": "800ms", "regions": "1", "detour": "120ms", "spare": "1", "survivesRegion": false,
            "utilization": "60%", "prices": "large-cloud",
        ]
    }
    private static var outage: [String: Any] {
        [
            "devices": "1000", "urls": "1080", "peak": "2", "listed": "0.1%", "stray": "1/50", "asked": "50%",
            "length": "20min", "lost": "everything", "of": "2", "detection": "25s", "refetch": "6h",
            "worth": "",
        ]
    }
    private let folder: TemporaryFolder
    private let client: PageClient

    init() async throws {
        folder = try TemporaryFolder()
        client = try await PageClient.opened(folder.path)
    }

    private func number(_ value: Any?) -> Double? { (value as? NSNumber)?.doubleValue }

    @Test func serversAreThoseOfThePlanner() async throws {
        let answer = try client.document(await client.ask("servers", Self.servers))
        let services = try #require(answer["services"] as? [[String: Any]])
        let pir = try #require(services.first { $0["service"] as? String == "pir" })
        // The smallest: one machine of two cores and a spare one; 0.556 busy cores at the peak fit into what is left.
        #expect(pir["instances"] as? Int == 2 && pir["cores"] as? Int == 2)
        let busy = 2_400_000 * 0.005 / 86_400 * 4 / 2
        #expect(abs((number(pir["utilization"]) ?? 0) - busy) < 1e-9)
        // 12 cores of 720 hours at 0.0316.
        #expect(abs((number(answer["money"]) ?? 0) - 12 * 720 * 0.0316) < 1e-6)
        let fleets = try #require(answer["byDevices"] as? [[String: Any]])
        let money = fleets.compactMap { number($0["money"]) }
        #expect(money.count == 11 && money == money.sorted())
    }

    @Test func aLossOfARegionTakesMoreServers() async throws {
        var knobs = Self.servers
        knobs["devices"] = "2M"
        knobs["regions"] = "2"
        let one = try client.document(await client.ask("servers", knobs))
        knobs["survivesRegion"] = true
        let both = try client.document(await client.ask("servers", knobs))
        #expect(try #require(number(both["money"])) > #require(number(one["money"])))
        let situations = try #require(both["situations"] as? [[String: Any]])
        #expect(situations.map { $0["name"] as? String } == ["healthy", "instanceLost", "regionLost"])
    }

    @Test func anOutageIsVisitsTimesShares() async throws {
        let answer = try client.document(await client.ask("outage", Self.outage))
        let chosen = try #require(answer["chosen"] as? [String: Any])
        #expect(abs((number(chosen["leaked"]) ?? 0) - 15) < 0.05)
        #expect(abs((number(chosen["blocked"]) ?? 0) - 300) < 1)
        #expect(number(answer["blockedPerListed"]) == 20)
        #expect(answer["choice"] == nil)
        for (worth, choice) in [("5", "open"), ("50", "closed")] {
            let told = try client.document(
                await client.ask("outage", Self.outage.merging(["worth": worth]) { $1 }))
            #expect(told["choice"] as? String == choice)
        }
    }

    @Test(arguments: [
        ["devices": "0"], ["devices": "<b>"], ["lookups": "-1"], ["peak": "0.5"], ["pir": "5"],
        ["way": "1e9s"],
        ["regions": "9"], ["spare": "-1"], ["utilization": "2"], ["prices": "../../etc/passwd"],
    ])
    func whatCannotBeIsASentence(_ change: [String: String]) async throws {
        let answer = await client.ask("servers", Self.servers.merging(change) { $1 })
        #expect(answer.status == 422)
        #expect(try client.sentence(answer).isEmpty == false)
    }

    @Test(arguments: [
        ["devices": "0"], ["listed": "2"], ["stray": "nan"], ["length": "0s"], ["lost": "<b>"], ["of": "0"],
        ["refetch": "6"], ["worth": "-1"],
    ])
    func anOutageThatCannotBeIsASentence(_ change: [String: String]) async throws {
        let answer = await client.ask("outage", Self.outage.merging(change) { $1 })
        #expect(answer.status == 422)
        #expect(try client.sentence(answer).isEmpty == false)
    }

    @Test func aFirstScenarioIsOneThatResolves() async throws {
        for kind in ["school", "company", "homes"] {
            let made = await client.ask(
                "scenario/new",
                ["path": "\(kind).yaml", "kind": kind, "devices": "500", "list": "games.example\n"])
            #expect(made.status == 200, "\(made.text)")
            let text = try #require(try client.document(made)["text"] as? String)
            let reading = try client.document(
                await client.ask("scenario/resolve", ["path": "\(kind).yaml", "text": text]))
            #expect(reading["problem"] == nil && reading["devices"] as? Int == 500)
        }
        // Nothing is overwritten, and a list without an entry is none.
        for list in ["games.example", "# nothing\n"] {
            let again = await client.ask(
                "scenario/new", ["path": "school.yaml", "kind": "school", "devices": "5", "list": list])
            #expect(again.status == 409)
        }
        let empty = await client.ask(
            "scenario/new", ["path": "x.yaml", "kind": "school", "devices": "5", "list": "# nothing\n"])
        #expect(empty.status == 422)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/x.yaml"))
    }

    @Test func notesStayInTheFolder() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/results/a", withIntermediateDirectories: true)
        try folder.write("x", to: "results/a/results.sqlite")
        let kept = await client.ask(
            "note", ["path": "results/a", "isPinned": true, "text": "<b>look</b>"])
        #expect(kept.status == 200)
        let listed = try client.document(await client.ask("folder"))
        let result = try #require((listed["results"] as? [[String: Any]])?.first)
        #expect(result["isPinned"] as? Bool == true && result["note"] as? String == "<b>look</b>")
        let outside = await client.ask("note", ["path": "../a", "isPinned": true, "text": ""])
        #expect(outside.status == 422)
        let long = await client.ask(
            "note", ["path": "results/a", "isPinned": false, "text": String(repeating: "x", count: 5_000)])
        #expect(long.status == 413)
        try folder.write("no notes", to: "workbench-notes.json")
        #expect((await client.ask("folder")).status == 422)
    }

    @Test func droppedFilesAreLookedAtAndNotKept() async throws {
        let list = "games.example\nGames.example\nads.example/x/\n"
        let log = "time,client,url\n1,a,https://games.example/\n2,b,https://other.example/\n"
        let head =
            "{\"files\":[{\"name\":\"../list.txt\",\"bytes\":\(list.utf8.count)},"
            + "{\"name\":\"log.csv\",\"bytes\":\(log.utf8.count)}]}\n"
        var request = client.request("look")
        request.content = Array((head + list + log).utf8)
        let answer = try client.document(await client.workbench.answer(request))
        #expect((answer["list"] as? [String: Any])?["name"] as? String == "list.txt")
        #expect((answer["log"] as? [String: Any])?["requests"] as? Int == 2)
        #expect((answer["check"] as? [String: Any])?["blocked"] as? Int == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        for bad in ["", "{}", "{\"files\":[]}\n", "{\"files\":[{\"name\":\"x\",\"bytes\":99}]}\nabc"] {
            request.content = Array(bad.utf8)
            #expect((await client.workbench.answer(request)).status == 400)
        }
        // Only who has the session may send so much.
        #expect(client.workbench.contentLimit(of: request) > 50 << 20)
        request.fields["x-workbench-session"] = "guess"
        #expect(client.workbench.contentLimit(of: request) < 5 << 20)
    }
}
