import TestSupport
import Testing
import Workbench

/// Who may ask: nobody without the session, and no page but ours.
@Suite struct GateTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func anAddressOpensOneSessionAndThenTheTerminalShowsAnother() async throws {
        let client = try await PageClient.opened(folder.path)
        #expect(client.session.count == 64)
        let first = client.secret
        let again = await client.ask("session", ["secret": first])
        #expect(again.status == 403)
        #expect(client.shown.all == [client.secret])
        #expect(client.secret != first)
        // The old one says nothing any more, not even that it was right.
        let third = await client.ask("session", ["secret": first])
        #expect(third.status == 403)
        #expect(client.shown.all.count == 1)
        #expect((await client.ask("session", ["secret": client.secret])).status == 200)
    }

    @Test func guessesOpenNothingAndShowNothing() async throws {
        let client = try PageClient(folder.path)
        for guess in [
            "", "0", String(repeating: "0", count: 64), client.secret.uppercased(), client.secret + "0",
        ] {
            #expect((await client.ask("session", ["secret": guess])).status == 403)
        }
        #expect(client.shown.all.isEmpty)
        #expect((await client.ask("session", ["secret": client.secret])).status == 200)
    }

    @Test(arguments: [
        "folder", "form", "scenario/read", "scenario/resolve", "scenario/set", "scenario/save", "prefilter",
        "result",
        "ticket", "runs", "runs/start", "runs/resume", "runs/stop", "runs/events", "nothing",
        "servers", "outage", "servers/confirm", "outage/confirm", "knobs", "glance", "compare", "note",
        "look", "timeline",
        "scenario/new",
    ])
    func everythingNeedsTheSession(_ path: String) async throws {
        var client = try PageClient(folder.path)
        #expect((await client.ask(path)).status == 401)
        client.session = client.secret
        #expect((await client.ask(path)).status == 401, "the address's secret is no session")
    }

    @Test(arguments: [
        "evil.example", "evil.example:8090", "127.0.0.1.evil.example", "127.0.0.1@evil.example",
        "localhost.evil.example",
        "", "0.0.0.0", "127.0.0.1:80:80", "[::1].evil.example", "127.0.0.1:x",
    ])
    func aForeignNameIsRefused(_ host: String) async throws {
        var client = try await PageClient.opened(folder.path)
        client.host = host
        #expect((await client.ask("folder")).status == 421)
        #expect((await client.get("/")).status == 421)
    }

    @Test func aSecondHostIsRefused() async throws {
        let client = try await PageClient.opened(folder.path)
        #expect((await client.get("/", ["host": "evil.example"])).status == 400)
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.1:1", "localhost:8090", "[::1]:8090", "[::1]"])
    func thisMachineIsTaken(_ host: String) async throws {
        var client = try await PageClient.opened(folder.path)
        client.host = host
        #expect((await client.ask("folder", [:], ["origin": "http://" + host])).status == 200)
    }

    @Test(arguments: [
        ["origin": "http://evil.example"], ["origin": "null"], ["origin": "http://127.0.0.1:8091"],
        ["origin": "https://127.0.0.1:8090"], ["sec-fetch-site": "cross-site"],
        ["sec-fetch-site": "same-site"],
    ])
    func aForeignPageIsRefused(_ fields: [String: String]) async throws {
        let client = try await PageClient.opened(folder.path)
        #expect((await client.ask("folder", [:], fields)).status == 403)
    }

    @Test func everyAnswerForbidsForeignContent() async throws {
        let client = try await PageClient.opened(folder.path)
        let answers = [
            await client.get("/"), await client.get("/main.js"), await client.get("/none"),
            await client.ask("folder"),
            await client.ask("session", ["secret": ""]),
        ]
        for answer in answers {
            let policy = answer.fields["content-security-policy"] ?? ""
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'"))
            #expect(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"))
            #expect(answer.fields["x-content-type-options"] == "nosniff")
            #expect(answer.fields["cache-control"] == "no-store")
            #expect(answer.fields["set-cookie"] == nil && answer.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test func aTicketFetchesOneReportOnce() async throws {
        let client = try await PageClient.opened(folder.path)
        #expect((await client.get("/report/")).status == 403)
        #expect((await client.get("/report/" + client.session)).status == 403)
        let ticket =
            try client.document(await client.ask("ticket", ["path": "nothing"]))["ticket"] as? String ?? ""
        // There is no such result; the ticket is spent all the same.
        #expect((await client.get("/report/" + ticket)).status == 422)
        #expect((await client.get("/report/" + ticket)).status == 403)
        #expect((await client.ask("ticket", ["path": "../up"])).status == 422)
    }
}
