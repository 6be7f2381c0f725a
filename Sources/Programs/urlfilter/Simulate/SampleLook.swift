import Experiment
import Scenarios

/// How large a sample stands for the fleet.
struct SampleLook {
    /// The devices of all groups together.
    let devices: Int
    /// `nil`: as many as the scenario asks for.
    let replications: Int?

    /// Devices of a first look, which is enough for a fleet whose servers are the smallest. Assumption: they make some
    /// 30 000 lookups a day, and the rate of the busiest five minutes is known to a fifth.
    private static let few = 500

    private init(devices: Int, replications: Int?) {
        self.devices = devices
        self.replications = replications
    }

    /// The sample that is asked for, or a first look where nobody says.
    init(first command: Capacity, _ fleet: Int) {
        self =
            command.planning.sample == nil && !command.planning.exhaustive
            ? SampleLook(devices: min(fleet, Self.few), replications: Self.fewReplications)
            : SampleLook(full: command, fleet)
    }

    init(full command: Capacity, _ fleet: Int) {
        self.init(
            devices: min(fleet, command.planning.sample ?? PlanArguments.defaultSample), replications: nil)
    }

    var isFull: Bool { replications == nil }

    var assignments: [String] { replications.map(Schema.exactly) ?? [] }

    /// The work that it is, as ``SweepPlan/deviceDays`` counts it.
    func deviceDays(of scenario: Scenario) -> Double {
        scenario.deviceDays(devices, replications: replications ?? scenario.replications.maximum)
    }

    private static let fewReplications = 5
}
