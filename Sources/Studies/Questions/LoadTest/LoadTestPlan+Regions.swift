import FleetModel
import Foundation
package import Scenarios
import Yams

extension ScenarioFile {
    /// The scenario of each region that devices ask while all are well: its servers, and those devices. Without two
    /// regions the scenario itself, which has no name then.
    ///
    /// Faults are left out, as a region's servers are tested while they are well.
    package func regionParts() throws -> [(region: String?, file: ScenarioFile)] {
        let scenario = try ScenarioResolver.resolve(self)
        let names = scenario.services.regions.compactMap(\.name)
        guard names.count > 1 else { return [(region: nil, file: self)] }
        let geography = Geography(scenario)
        let all = Array(names.indices)
        return try all.compactMap { place -> (region: String?, file: ScenarioFile)? in
            let groups = Set(
                scenario.devices.indices.filter { geography.nearest($0, among: all) == place }
                    .map { scenario.devices[$0].name })
            guard !groups.isEmpty else { return nil }
            let others = names.filter { $0 != names[place] }
            let file = try dropping(regions: others)
                .keeping("devices") { groups.contains($0.elementName) }
                .keeping("faults") { _ in false }
            return (region: names[place], file: file)
        }
    }
}

extension LoadTestPlan {
    /// The file for one region's plan: `load-test-eu.yaml` beside `load-test.yaml`.
    ///
    /// - Parameter region: `nil` where there is only one place.
    package static func path(_ path: String, of region: String?) -> String {
        guard let region else { return path }
        let name = String(region.map { $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : "-" })
        let url = URL(fileURLWithPath: path)
        let kind = url.pathExtension
        let stem = kind.isEmpty ? path : String(path.dropLast(kind.count + 1))
        return "\(stem)-\(name)" + (kind.isEmpty ? "" : ".\(kind)")
    }
}
