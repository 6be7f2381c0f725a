import Decoding
import EventSimulation
import FleetModel
import Foundation
import Scenarios
import Statistics
import URLFilter
import Workload
import Yams

extension ScenarioFile {
    /// The file without some of its top settings.
    func without(_ keys: [String]) throws -> ScenarioFile {
        try keys.reduce(self) { file, key in
            guard file.root.mapping?[Node(key)] != nil else { return file }
            return try file.setting(SettingPath(key), to: Self.nothing)
        }
    }

    /// A log knows nothing of what lookups are for.
    func withoutBackground(group: Int) throws -> ScenarioFile {
        guard root.mapping?["devices"]?.sequence?[group].mapping?["background"] != nil else { return self }
        return try setting("\(Schema.devices.place(of: group)).background=null")
    }

    /// The observed times are those of the servers that were observed. How these let lookups wait and answer them in
    /// groups no log tells: what the scenario's server does is written out, as its name cannot stay.
    func withoutServerChoice(of scenario: Scenario) throws -> ScenarioFile {
        let choices = [Schema.pir.implementation.key, Schema.pir.keys.key, Schema.station.cpuFactor.key]
        let file = try choices.reduce(self) { file, key in
            guard file.root.mapping?["services"]?.mapping?["pir"]?.mapping?[Node(key)] != nil else {
                return file
            }
            return try file.setting("\(SettingPlace.service(.pir)).\(key)=null")
        }
        guard scenario.pir.server.other != nil else { return file }
        let most = scenario.services.pir.queueTime.map { "\($0.nanoseconds / 1_000)us" } ?? "none"
        let queues = [Part.issuer, .pir].map { part in
            Schema.queue.set(
                \.queue, scenario.services[part].queue.rawValue, in: SettingPlace.service(part))
        }
        let changes =
            queues + Self.rhythm(of: scenario) + [
                Schema.pirStation.set(\.queueTime, most),
                Schema.grouping.set(\.limit, scenario.pir.groupLimit),
            ]
        let known = try file.setting(changes)
        guard scenario.pir.groupLimit > 1 else { return known }
        return try known.setting(
            Schema.grouping.set(
                \.questions, scenario.pir.groupQuestionLimit ?? GroupingSettings.maximumQuestions))
    }
}

extension ScenarioFile {
    /// How many requests the servers compute at once, and when they are slow or do nothing.
    fileprivate static func rhythm(of scenario: Scenario) -> [String] {
        [Part.issuer, .pir].flatMap { part in
            let (servers, place) = (scenario.services[part], SettingPlace.service(part))
            let threads = servers.threads.map { Schema.station.set(\.threads, $0, in: place) }
            let start = servers.coldStart.map { Schema.station.set(\.coldStart, $0, in: place) }
            let pauses = servers.pauses.map { Schema.station.set(\.pauses, $0, in: place) }
            return [threads, start, pauses].compactMap(\.self)
        }
    }
}

extension CostProfile {
    /// Samples of an endpoint that are kept.
    private static let sampleLimit = 500

    /// Returns the profile with the service times that a log shows.
    ///
    /// - Parameter place: Of the server that wrote it; what an outer one takes for its own work is left out.
    func with(
        _ services: [LoggedEndpoint: [Double]], at place: LoggedPlace, source: String
    ) -> CostProfile {
        var profile = named(source, "access log, requests that found a core free")
        for (logged, seconds) in services {
            guard let endpoint = Endpoint(rawValue: logged.rawValue) else { continue }
            let own = place == .pir ? 0 : Double(nanoseconds: self[endpoint]?.gatewayMean ?? 0)
            let sorted = seconds.map { max(0, $0 - own) }.sorted()
            let count = min(sorted.count, Self.sampleLimit)
            let samples: [Int64] = (0..<count).map { place in
                let middle = (2 * place + 1) * sorted.count / (2 * count)
                return .seconds(rounding: sorted[middle])
            }
            profile.endpoints[endpoint.rawValue]?.serviceAnswers = StageCost(samples: samples)
            // Which is in what was observed.
            profile.endpoints[endpoint.rawValue]?.servicePort = nil
        }
        return profile
    }

    /// Returns the profile with the PIR server's times multiplied by what its CPU time shows.
    func scaled(_ part: PrometheusPart, source: String) -> CostProfile {
        var profile = named(source, "pages of Prometheus: CPU time over that of this machine")
        let expected = part.work.reduce(0) { $0 + $1.expected }
        let factor = expected > 0 ? part.work.reduce(0) { $0 + $1.seconds } / expected : 1
        for endpoint in Endpoint.allCases where !endpoint.isAnsweredByIssuer {
            guard let cost = self[endpoint] else { continue }
            func scaled(_ cost: StageCost) -> StageCost {
                StageCost(samples: cost.samples.map { Int64(saturating: min(Double($0) * factor, 1e12)) })
            }
            profile.endpoints[endpoint.rawValue]?.serviceAnswers = scaled(cost.serviceAnswers)
            profile.endpoints[endpoint.rawValue]?.servicePort = cost.servicePort.map(scaled)
        }
        return profile
    }

    private func named(_ source: String, _ obtained: String) -> CostProfile {
        var profile = self
        profile.keysAsBytes = nil
        profile.server = ServerIdentity(
            name: "the servers of \(source)", version: "as they ran", obtained: obtained)
        return profile
    }
}
