import Foundation
import Scenarios

/// A first scenario: who has how many devices. Everything else is a default, which the form shows with its source.
struct NewScenario: Decodable {
    /// Name of the file in the folder.
    var path: String
    /// `school`, `company` or `homes`.
    var kind: String
    var devices: String
    /// Entries of the list, one a line.
    var list: String

    func text(list name: String, name title: String) throws -> String {
        let devices = try Knob.count(self.devices, "devices", in: 1...10_000_000)
        let profile: String
        let group: String
        switch kind {
        case "school": (profile, group) = ("school-day", "students")
        case "company": (profile, group) = ("office", "staff")
        case "homes": (profile, group) = ("adult", "homes")
        default: throw WorkbenchRefusal(422, "who: write school, company or homes")
        }
        guard list.split(separator: "\n").contains(where: { !$0.hasPrefix("#") && !$0.isEmpty }) else {
            throw WorkbenchRefusal(422, "the list has no entry; write one a line, such as games.example")
        }
        return """
            # How many servers does this fleet need, and what do its users feel?
            #
            # A day of \(devices) devices, as the profile "\(profile)" browses. Everything that does not stand here is a
            # default; the form says where each comes from.
            name: \(title.debugDescription)
            fidelity: calibrated
            duration: 24h
            replications: { min: 5, max: 16, precision: 5% }
            blocklist: { file: \(name.debugDescription) }
            devices:
              - { name: \(group), count: \(devices), browsing: { profile: \(profile) } }
            objectives:
              - lookup.latency p99 < 800ms
              - url.leaked rate < 0.1%

            """
    }
}
