import Decoding
import EventSimulation
import FleetModel
import Foundation
package import Scenarios

/// One of the seven faults that a filter is compared with, of the one size that is declared here.
package enum StudiedFault: String, CaseIterable, Codable, Sendable {
    case pirOutage, gatewayBrownOut, issuerDown, restart, sizeCap, captivePortal, tooFewServers

    package var name: String {
        switch self {
        case .pirOutage: "PIR outage"
        case .gatewayBrownOut: "gateway brown-out"
        case .issuerDown: "issuer down"
        case .restart: "server restart"
        case .sizeCap: "relay size cap"
        case .captivePortal: "captive portal"
        case .tooFewServers: "too few servers"
        }
    }

    /// Seconds; 0 for what happens at once.
    package var length: Double {
        switch self {
        case .pirOutage, .gatewayBrownOut, .captivePortal: 20 * 60
        case .issuerDown, .tooFewServers: 3_600
        case .restart: 0
        case .sizeCap: 2 * 3_600
        }
    }

    /// The fault in words, and where its size comes from.
    package var words: String {
        switch self {
        case .pirOutage: "all PIR servers refuse for 20 min (assumption)"
        case .gatewayBrownOut: "each step of the gateway takes 5 000 times as long for 20 min (assumption)"
        case .issuerDown: "the token issuer refuses for 1 h (assumption)"
        case .restart:
            "PIR servers and issuer restart and lose what they had in memory, until devices fetch their configuration"
                + " again (assumption, as the period of that is)"
        case .sizeCap:
            "launch day: until 2 h later the relay refuses more than 100 kB, so no evaluation key arrives"
                + " (assumption: a declaration by mean sizes)"
        case .captivePortal: "a third of the devices are behind a captive portal for 20 min (assumption)"
        case .tooFewServers:
            "all PIR instances but one are gone for 1 h, and that one takes 100 times as long (assumption: it swaps)"
        }
    }

    private static let cap = "100kB"
    private static let brownOut = 5_000
    private static let swapping = 100
    private static let portalShare = 1.0 / 3
    private static let portalSuffix = "at the portal"

    /// Seconds after its end in which people still feel it: assumption, but for what a device waits before it fetches
    /// the configuration again.
    func aftermath(in scenario: Scenario) -> Double {
        3_600 + (self == .restart ? scenario.behaviour.configurationRefetch.seconds : 0)
    }

    /// The scenario with the fault.
    package func happening(_ time: FaultTime, in file: ScenarioFile) throws -> ScenarioFile {
        let scenario = try ScenarioResolver.resolve(file)
        var file = file
        var groups: [String] = []
        if self == .captivePortal {
            (file, groups) = try file.settingApart(Self.portalShare, named: Self.portalSuffix)
        }
        let begin = Int(saturating: time.begin.rounded())
        let end = time.begin + length + aftermath(in: scenario)
        var assignments = [
            "faults=[\(faults(in: scenario, begin: begin, groups: groups).joined(separator: ", "))]",
            Schema.run.set(\.objectives, "[]"), Schema.run.set(\.warmUp, "\(begin)s"),
            Schema.run.set(\.seriesInterval, "1min"),
        ]
        // A trace has the length that it has.
        if time.localHour != nil {
            assignments.append(Schema.run.set(\.duration, "\(Int(saturating: end.rounded(.up)))s"))
        }
        if self == .sizeCap {
            assignments += [
                Schema.run.set(\.start, FleetStart.cold.rawValue), Schema.run.set(\.history, "null"),
            ]
        }
        return try file.setting(assignments).setting(Schema.run.path(\.name), toText: name)
    }

    private func faults(in scenario: Scenario, begin: Int, groups: [String]) -> [String] {
        let seconds = Int(length)
        let regions = scenario.services.regions.compactMap(\.name).map { $0 + "." }
        func everywhere(_ part: Part, _ kind: FaultName, _ more: String, lasts: Bool = true) -> [String] {
            (regions.isEmpty ? [""] : regions).map { region in
                "{kind: \(kind.rawValue), service: \(Self.quoted(region + part.name)), \(more)at: \(begin)s"
                    + (lasts ? ", for: \(seconds)s}" : "}")
            }
        }
        switch self {
        case .pirOutage: return everywhere(.pir, .outage, "")
        case .gatewayBrownOut: return everywhere(.gateway, .slowDown, "factor: \(Self.brownOut), ")
        case .issuerDown: return everywhere(.issuer, .outage, "")
        case .restart:
            return [.pir, .issuer].flatMap { everywhere($0, .restart, "", lasts: false) }
        case .sizeCap:
            return [
                "{kind: \(FaultName.sizeCap.rawValue), bytes: \(Self.cap), at: 0s, for: \(begin + seconds)s}"
            ]
        case .captivePortal:
            let kind = FaultName.captivePortal.rawValue
            return groups.map {
                "{kind: \(kind), group: \(Self.quoted($0)), at: \(begin)s, for: \(seconds)s}"
            }
        case .tooFewServers:
            let spare = scenario.services.byRegion(.pir).map(\.instances).min().map { $0 - 1 } ?? 0
            return (spare > 0 ? everywhere(.pir, .instanceLoss, "instances: \(spare), ") : [])
                + everywhere(.pir, .slowDown, "factor: \(Self.swapping), ")
        }
    }

    /// A text in a list of YAML.
    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
}
