import EventSimulation
import Experiment
import FleetModel
import Foundation
import Scenarios
import TestSupport
import Testing
import URLFilter

/// Whose server a scenario has, and what that changes.
@Suite struct ServerChoiceTests {
    private let small: SmallScenario

    init() throws { small = try SmallScenario.calibrated() }

    private func problem(_ settings: String) throws -> String {
        do {
            _ = try small.prepare(settings)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test func oursIsTheDefault() throws {
        let scenario = try small.scenario()
        #expect(scenario.services.pir.queueTime == .seconds(1) && scenario.pir.groupLimit == 4)
        #expect(scenario.pir.groupQuestionLimit == 32)
        #expect(scenario.services.pir.queue == .fair && scenario.services[.issuer].queue == .fair)
        let preparation = try small.prepare()
        #expect(preparation.profileSummary?.server.name == "urlfilter serve")
    }

    /// Samples of 5, 10 and 40 ms times 7.1; one by one, without a limit of the wait.
    @Test func applesCostsAreOursTimesTheRatios() throws {
        let preparation = try small.prepare("services.pir.implementation=apple-example")
        let costs = try #require(preparation.costProfile)
        #expect(costs[.queries]?.serviceAnswers.samples == [35_500_000, 71_000_000, 284_000_000])
        #expect(costs[.key]?.serviceAnswers.samples == [1_900_000, 3_800_000, 15_200_000])
        #expect(costs[.queries]?.gatewayOpens.samples == [1_000_000])
        #expect(costs.extraKeyword.serviceAnswers == 7_100_000)
        #expect(costs.evaluationKeyBytes == 128_000)
        let pir = preparation.configuration.services.pir
        #expect(pir.queueTime == nil && pir.grouping == nil && pir.queue == .firstCome)
        #expect(preparation.configuration.services[.issuer].queue == .firstCome)
        let server = try #require(preparation.profileSummary?.server)
        #expect(server.name == "pir-service-example" && server.obtained != nil)
        #expect(server.lookupRatio == .init(7.1, 4.4...10))
    }

    @Test func whatFollowsFromTheServerCanBeSetAlone() throws {
        let pir = try small.scenario(
            "services.pir={implementation: apple-example, queueTime: 2s, grouping: {limit: 3}}")
        #expect(pir.services.pir.queueTime == .seconds(2) && pir.pir.groupLimit == 3)
        #expect(try small.scenario("services.pir.queueTime=none").services.pir.queueTime == nil)
        #expect(try problem("services.pir.queueTime=10us").contains("1ms...1e9s, or none"))
        #expect(try problem("services.pir.queueTime=3").contains("'3' has no unit"))
    }

    /// A gateway cannot tell whose a request is.
    @Test func issuerAndPIRServersMayBeFair() throws {
        let services = try small.scenario("services.pir.queue=fair").services
        #expect(services.pir.queue == .fair && services[.issuer].queue == .fair)
        #expect(services[.gateway].queue == .firstCome)
        let old = try small.scenario("services.pir.queue=firstCome", "services.issuer.queue=firstCome")
            .services
        #expect(old.pir.queue == .firstCome && old[.issuer].queue == .firstCome)
        #expect(
            try small.scenario("services.pir={implementation: apple-example, queue: fair}").services.pir.queue
                == .fair)
        #expect(try problem("services.gateway.queue=fair").contains("queue"))
        #expect(try problem("services.pir.queue=random").contains("firstCome"))
    }

    @Test func aFileHasTheRatiosOfAnyServer() throws {
        var profile = ServerDescription(
            name: "mine", version: "2", obtained: "by me", cpu: [.queries: .init(2)], groupLimit: 8,
            sources: [.queue: "its manual"])
        profile.queueSeconds = 0.5
        profile.queue = .fair
        let text = String(decoding: try JSONEncoder().encode(profile), as: UTF8.self)
        try small.folder.write(text, to: "mine.json")
        let preparation = try small.prepare("services.pir.implementation=mine.json")
        #expect(preparation.costProfile?[.queries]?.serviceAnswers.samples.first == 10_000_000)
        #expect(preparation.costProfile?[.issue]?.serviceAnswers.samples.first == 5_000_000)
        #expect(preparation.configuration.services.pir.queueTime == .seconds(0.5))
        #expect(preparation.configuration.services.pir.queue == .fair)
        let grouping = try #require(preparation.configuration.services.pir.grouping)
        #expect(grouping.limit == 8 && grouping.questionLimit == nil)
        for (old, new, why) in [
            ("\"value\":2", "\"value\":0", "cpu.queries: 0.0 is outside the allowed range"),
            ("\"value\":2", "\"value\":2,\"low\":3", "cpu.queries: 2.0 is not between low and high"),
            ("\"queries\"", "\"query\"", "'query' is no endpoint"),
            ("\"groupLimit\":8", "\"groupLimit\":0", "groupLimit: 0 is outside"),
            ("\"fair\"", "\"fare\"", "queue"),
            ("\"queueSeconds\":0.5", "\"queueSeconds\":-1", "queueSeconds: -1.0 is outside"),
            ("urlfilter.server/1", "urlfilter.server/2", "its schema is 'urlfilter.server/2'"),
            ("\"name\"", "\"nom\"", "name is missing"),
            ("\"name\":\"mine\"", "\"name\":\"urlfilter serve\"", "give another name"),
            ("\"name\"", "\"thread\":2,\"name\"", "thread: there is no such field"),
            (
                "\"name\"", "\"requestLog\":{\"second\":1},\"name\"",
                "requestLog.second: there is no such field"
            ),
            (
                "\"name\"", "\"requestLog\":{\"seconds\":{\"value\":11}},\"name\"",
                "requestLog.seconds: 11.0 is outside"
            ),
            ("\"name\"", "\"threads\":0,\"name\"", "threads: 0 is outside"),
            (
                "\"name\"", "\"coldStart\":{\"factor\":0.5,\"seconds\":9},\"name\"",
                "coldStart.factor: 0.5 is outside"
            ),
            (
                "\"name\"", "\"pauses\":{\"every\":1,\"seconds\":1},\"name\"",
                "pauses.seconds: 1.0 must be above 0"
            ),
            (
                "\"name\"", "\"keyParsing\":{\"at\":\"atUpload\",\"cpu\":{\"value\":1}},\"name\"",
                "keyParsing.cpu: what"
            ),
            ("\"sources\":{\"queue\"", "\"sources\":{\"queues\"", "sources: 'queues' has none of its own"),
        ] {
            #expect(text.replacing("\\/", with: "/").contains(old))
            let wrong = text.replacing("\\/", with: "/").replacing(old, with: new)
            try small.folder.write(wrong, to: "wrong.json")
            #expect(try problem("services.pir.implementation=wrong.json").contains(why))
        }
        #expect(try problem("services.pir.implementation=profile.json").contains("services.pir.profile"))
        #expect(
            try problem("services.pir.implementation=apple").contains(
                "must be one of workbench, apple-example, apple-example-tuned, simplepir,"))
    }

    /// What a server does besides answering: samples of 5, 10 and 40 ms, 2 ms for ours to make a key ready.
    @Test func aDescriptionHasThreadsKeysLogsStoresStartsAndPauses() throws {
        var measured = SmallScenario.profile(
            entries: SmallScenario.entries.count, parameters: small.parameters)
        measured.keysAsBytes = .init(
            upload: StageCost(samples: [700_000]), lookup: StageCost(samples: [2_000_000]),
            evaluationKeyBytes: 180_000)
        var server = ServerDescription(
            name: "mine", version: "2", obtained: "by me", cpu: [.queries: .init(2), .key: .init(3)],
            evaluationKeyBytes: .init(0.5))
        server.keyParsing = .init(at: .atEveryQuery, cpu: .init(1.5))
        server.requestLog = .init(seconds: .init(0.001))
        server.threads = 1
        server.keyStore = .sqlite
        server.coldStart = ColdStart(factor: 2, seconds: 30)
        server.pauses = ServerPauses(every: 10, seconds: 0.05)
        let encoder = JSONEncoder()
        try small.folder.write(
            String(decoding: try encoder.encode(measured), as: UTF8.self), to: "bytes.json")
        try small.folder.write(String(decoding: try encoder.encode(server), as: UTF8.self), to: "mine.json")
        let preparation = try small.prepare("services.pir.implementation=mine.json", profile: "bytes.json")
        let costs = try #require(preparation.costProfile)
        // Twice the lookup, 3 ms for the key and 1 ms for the log.
        #expect(costs[.queries]?.serviceAnswers.samples == [14_000_000, 24_000_000, 84_000_000])
        #expect(costs[.key]?.serviceAnswers.samples == [3 * 700_000 + 1_000_000])
        #expect(costs[.issue]?.serviceAnswers.samples.first == 6_000_000)
        #expect(costs.evaluationKeyBytes == 90_000)
        for part in [Part.issuer, .pir] {
            let station = preparation.configuration.services[part]
            #expect(station.threads == 1 && station.threadsPerInstance == 1)
            #expect(station.coldStart == server.coldStart && station.pauses == server.pauses)
        }
        #expect(preparation.configuration.services.pir.keyStore == .sqlite)
        #expect(preparation.configuration.services[.gateway].isSteady)
        let settings = try small.scenario("services.pir.implementation=mine.json").settings
        let threads = try #require(settings.first { $0.path == "services.pir.threads" })
        #expect(threads.defaultSource == "assumption: services.pir.implementation has no source for threads")
        let other = try small.scenario(
            "services.pir={implementation: mine.json, threads: 2, coldStart: none, pauses: none}")
        #expect(other.services.pir.threads == 2 && other.services.pir.isSteady)
        #expect(!other.services[.issuer].isSteady)
    }

    /// A fact without a source has to say that it is an assumption.
    @Test func everyFactOfTheShippedServersHasASource() throws {
        for server in [ServerDescription.workbench] + ServerDescription.shipped.values {
            for fact in ServerDescription.Fact.allCases {
                #expect(server.sources?[fact.rawValue]?.isEmpty == false, "\(server.name): \(fact)")
            }
        }
        #expect(try #require(ServerDescription.shipped["apple-example"]).problem == nil)
        #expect(ServerDescription.workbench.problem?.contains("give another name") == true)
    }

    /// The defaults are what our server was seen to do, once somebody asks for a cold start.
    @Test func aColdStartHasTheValuesOfTheValidation() throws {
        #expect(try small.scenario().services.pir.coldStart == nil)
        #expect(
            try small.scenario("services.pir.coldStart={}").services.pir.coldStart
                == ColdStart(factor: 1.25, seconds: 120))
        #expect(
            try problem("services.pir.pauses={every: 1s, length: 1s}").contains("less than every, 1s"))
        #expect(try problem("services.pir.coldStart={factor: 0.9}").contains("1.0...100.0"))
    }

    /// Gateway 1 + 1 ms and 3 at the port, a lookup 5, 10 or 40 ms and 2 at the port.
    @Test func portsAreChargedWhereTheyWereMeasured() throws {
        let noPorts = try small.prepare()
        #expect(noPorts.modelled.contains { $0.contains("no CPU time at gateway, issuer, PIR server") })
        var profile = SmallScenario.profile(
            entries: SmallScenario.entries.count, parameters: small.parameters)
        for name in profile.endpoints.keys {
            profile.endpoints[name]?.gatewayPort = StageCost(samples: [3_000_000])
            profile.endpoints[name]?.servicePort = StageCost(samples: [2_000_000])
        }
        profile.portsWithTLS = true
        let text = String(decoding: try JSONEncoder().encode(profile), as: UTF8.self)
        try small.folder.write(text, to: "ports.json")
        let ports = try small.prepare(profile: "ports.json")
        #expect(!ports.modelled.contains { $0.contains("CPU time at") })
        let cost = try #require(ports.costProfile?[.queries])
        #expect(cost.gatewayMean == 5e6 && abs(cost.serviceMean - 55e6 / 3 - 2e6) < 1)
        let other = try small.prepare("services.pir.implementation=apple-example", profile: "ports.json")
        #expect(other.costProfile?[.queries]?.servicePort?.samples == [14_200_000])
        #expect(other.costProfile?[.queries]?.gatewayPort?.samples == [3_000_000])
        let work = try CalibratedWork(
            profile: profile, deviceCount: 1, tokensPerUserPerDay: nil, seed: 1, replication: 0)
        work.startSteadily(device: 0, tokens: 9)
        _ = work.deviceBegins(
            0, request: ExchangeRequest(device: 0, endpoint: .queries, keys: [2], listed: [false], second: 0))
        #expect(work.gatewayOpens(0).cpu == 4_000_000)
        #expect([7_000_000, 12_000_000, 42_000_000].contains(work.serviceAnswers(0).cpu))
        #expect(work.gatewaySeals(0).cpu == 1_000_000)
    }

    /// Requests differ at work; that says nothing of the machine.
    @Test func serversThatWereObservedAreNotNoisy() {
        var profile = SmallScenario.profile(entries: 60, parameters: small.parameters)
        let samples = (1...20).map { Int64($0) * 1_000_000 }
        profile.endpoints[Endpoint.queries.rawValue]?.serviceAnswers = StageCost(samples: samples)
        #expect(profile.isNoisy)
        profile.server = ServerIdentity(name: "theirs", version: "1", obtained: "access log")
        #expect(!profile.isNoisy && profile.noise == nil)
    }

    /// 5, 10 and 40 ms with 2 ms more each; memory and upload as measured.
    @Test func keysKeptAsBytesCostEveryLookup() throws {
        #expect(try problem("services.pir.keys=bytes").contains("measure it again"))
        var profile = SmallScenario.profile(
            entries: SmallScenario.entries.count, parameters: small.parameters)
        profile.keysAsBytes = .init(
            upload: StageCost(samples: [700_000]), lookup: StageCost(samples: [2_000_000]),
            evaluationKeyBytes: 180_000)
        try small.folder.write(
            String(decoding: try JSONEncoder().encode(profile), as: UTF8.self), to: "bytes.json")
        let costs = try #require(
            try small.prepare("services.pir.keys=bytes", profile: "bytes.json").costProfile)
        #expect(costs[.queries]?.serviceAnswers.samples == [7_000_000, 12_000_000, 42_000_000])
        #expect(costs[.key]?.serviceAnswers.samples == [700_000])
        #expect(costs.evaluationKeyBytes == 180_000)
        #expect(
            try problem("services.pir={implementation: apple-example, keys: bytes}").contains(
                "needs implementation: workbench"))
    }

    @Test func onlyOursCanReallyRun() throws {
        #expect(throws: ScenarioError.self) {
            try small.scenario("fidelity=real", "services.pir.implementation=apple-example")
        }
    }
}
