import Decoding
import EventSimulation
import Experiment
package import Scenarios
package import Workload

/// The devices that a synthetic trace is made of, as the simulator would make them.
package struct TracePopulation: Sendable {
    private let groups: [SyntheticTrace.Group]
    private var parameters: WebParameters
    private let entries: TextTable
    /// The scenario's.
    private let seed: UInt64
    /// Nanoseconds; `nil` if nothing says how long.
    package let duration: Int64?

    package var deviceCount: Int { groups.reduce(0) { $0 + $1.count } }

    package init(preset: BrowsingProfile, devices: Int) throws(BrowsingError) {
        groups = [.init(name: preset.name, count: devices, habits: try BrowsingHabits(preset))]
        parameters = WebParameters()
        entries = TextTable(name: "entries")
        seed = 1
        duration = nil
    }

    /// The groups of a scenario that browse by a profile; those that replay a trace have no synthetic browsing.
    ///
    /// - Parameter devices: Devices of all groups together, in the scenario's proportions; `nil`: the scenario's.
    package init(_ scenario: Scenario, devices: Int?) throws {
        let browsing = scenario.devices.compactMap { group -> (String, Int, BrowsingProfile)? in
            guard case .profile(let profile) = group.browsing else { return nil }
            return (group.name, group.count, profile)
        }
        guard !browsing.isEmpty else { throw TracePopulationError.onlyTraces(scenario.file) }
        let total = browsing.reduce(0) { $0 + $1.1 }
        var left = devices ?? total
        var rest = total
        groups = try browsing.map { name, count, profile in
            // What rounding leaves over goes to the later groups, so that the sum is right.
            let share = Int(saturating: (Double(left) * Double(count) / Double(rest)).rounded())
            left -= share
            rest -= count
            return .init(name: name, count: share, habits: try BrowsingHabits(profile))
        }
        parameters = scenario.web
        let settings = scenario.blocklist
        let list = try BlockListReader.read(
            path: settings.file, isReadAgain: true, options: settings.options
        ).list
        if let trace = scenario.listedTrace {
            parameters.listed = try ListedShares(
                of: trace, index: BlockListIndex(list), isStrict: false
            ).traffic
        }
        var entries = TextTable(name: "block list")
        for index in 0..<list.count { try? entries.append(list[index]) }
        self.entries = entries
        seed = scenario.seed
        duration = scenario.duration?.nanoseconds
    }

    /// - Parameters:
    ///   - seed: `nil`: the scenario's, or 1.
    ///   - origin: Midnight of the first day in nanoseconds since 1970.
    ///   - duration: Nanoseconds.
    package func trace(seed: UInt64?, origin: Int64, duration: Int64) throws -> SyntheticTrace {
        let seed = seed ?? self.seed
        return SyntheticTrace(
            population: groups, web: try SyntheticWeb(parameters, seed: seed, entries: entries), seed: seed,
            origin: origin, duration: duration)
    }
}

package enum TracePopulationError: InputFault, Equatable, CustomStringConvertible {
    case onlyTraces(String)

    package var description: String {
        switch self {
        case .onlyTraces(let file):
            "\(file): every device group replays a trace; there is nothing to generate"
        }
    }
}
