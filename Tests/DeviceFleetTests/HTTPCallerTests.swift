import DeviceFleet
import DeviceNetwork
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import ServerTestSupport
import Testing

/// The same devices over sockets of this machine.
struct HTTPCallerTests {
    @Test func aDeviceWorksOverSocketsDirectlyAndSealed() async throws {
        let stack = try StackDouble()
        let server = try await LoopbackServer { method, path, fields, body in
            // One port for all: the path tells the parties apart.
            let host =
                path == "/"
                ? "gateway.example"
                : path.hasPrefix("/config") || path.hasPrefix("/key") || path.hasPrefix("/queries")
                    ? "pir.example" : "issuer.example"
            let reply = try? await stack.call(
                method, "https://\(host)\(path)", fields: fields, body: body)
            return reply ?? HTTPReply(status: 502)
        }
        let caller = try HTTPCaller(.patient)
        let service = try ServiceAddress("http://127.0.0.1:\(server.port)")
        let direct = Deployment(service: service)
        #expect(try await look(direct, DirectChannel(caller)) == [true, false])
        // Behind the gateway the hosts are those of the parties.
        let sealed = try await ObliviousChannel(
            caller, resource: service.url(path: "/"), keys: service.url(path: "/"))
        let names = try Deployment(
            service: ServiceAddress("https://pir.example"), issuer: ServiceAddress("https://issuer.example"))
        #expect(try await look(names, sealed) == [true, false])
        await caller.shutdown()
        try await server.close()
    }

    private func look(_ deployment: Deployment, _ channel: any ExchangeChannel) async throws -> [Bool] {
        let device = LiveDevice(
            DeviceClient.Identity(userIdentifier: "someone", userToken: "user"),
            usecase: PIRDatabase.usecaseName, services: deployment.services, channel: channel)
        try await device.prepare(tokens: 1)
        let present = try await device.lookUp(
            ["blocked1.example", "harmless.example"].map { Array($0.utf8) })
        await device.stop()
        return present
    }

    @Test func whatGoesWrongOnTheWayHasAKind() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { _, path, _, _ in
            if path == "/slow" { await gate.pass() }
            return HTTPReply(status: 200, body: Array(repeating: 0, count: path == "/long" ? 2_000 : 10))
        }
        var settings = HTTPCaller.Settings.patient
        settings.maximumBodyBytes = 1_000
        let caller = try HTTPCaller(settings)
        settings.timeoutSeconds = 0.2
        let impatient = try HTTPCaller(settings)
        let base = "http://127.0.0.1:\(server.port)"
        #expect(try await caller.get(base + "/").body.count == 10)
        #expect(await kind { try await impatient.get(base + "/slow") } == "no answer in time")
        #expect(await kind { try await caller.get(base + "/long") } == "unusable answer")
        await gate.open()
        try await server.close()
        #expect(await kind { try await caller.get("http://127.0.0.1:1/") } == "unreachable")
        await caller.shutdown()
        await impatient.shutdown()
    }

    /// A peer that never stops sending has no more time than one that does not begin.
    @Test(arguments: [
        ["HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n", "x"],
        ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\nx\r\n"],
        ["HTTP/1.1 200 OK\r\n", "x: y\r\n"],
        ["", "HTTP/1.1 100 Continue\r\n\r\n"],
    ])
    func oneDeadlineHoldsForTheWholeExchange(_ parts: [String]) async throws {
        let server = try await DrippingServer(parts[0], then: parts[1])
        var settings = HTTPCaller.Settings()
        settings.timeoutSeconds = 0.3
        let caller = try HTTPCaller(settings)
        #expect(
            await kind { try await caller.get("http://127.0.0.1:\(server.port)/") } == "no answer in time")
        await caller.shutdown()
        try await server.close()
    }

    @Test func certificatesThatCannotBeReadAreRefused() {
        var settings = HTTPCaller.Settings()
        for path in ["/no/such/file.pem", "/dev/zero", "/"] {
            settings.trustedCertificates = path
            #expect(throws: AddressError.Certificates.self) { try HTTPCaller(settings) }
        }
    }

    private func kind(_ body: () async throws -> HTTPReply) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? ExchangeError)?.kind
        }
    }
}
