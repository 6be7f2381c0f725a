import Decoding
import Foundation
package import Scenarios
import Workload

/// The scenario that hidden operators are drawn from: what a new user would write, with a fleet that is quick to
/// simulate.
package enum OperatorScenario {
    /// Browsing is a quarter of an adult's visits with a fifth of the requests, and the ranges of both are as wide as
    /// those of the defaults; everything that the text does not name is open as it is in any scenario.
    package static let text = """
        name: hidden operator
        fidelity: calibrated
        duration: 24h
        start: steady
        drain: 30s
        seriesInterval: 5min
        blocklist: { file: list.txt }
        filter: { falsePositiveTolerance: 0.001 }
        web: { requestScale: { value: 0.2, between: 0.12..0.28 } }
        devices:
          - name: homes
            count: 200
            access: lte
            browsing: { profile: adult, visitScale: { value: 0.25, between: 0.075..0.45 } }
        services:
          gateway: { instances: 1, cores: 2 }
          issuer: { instances: 1, cores: 2 }
          pir: { instances: 1, cores: 2 }
        """

    package static let entries = 20_000
    private static let list = "list.txt"

    /// Writes scenario and made-up list into a folder that exists.
    package static func write(to folder: String, devices: Int?) throws -> ScenarioFile {
        let names = (1...entries).map { "host\($0).invalid\n" }.joined()
        for (name, content) in [(list, names), ("scenario.yaml", text + "\n")] {
            let path = "\(folder)/\(name)"
            // What stands there already is read by whoever goes on.
            if (try? Data(contentsOf: URL(fileURLWithPath: path))) == Data(content.utf8) { continue }
            try AtomicFile.write(to: path) { try $0.write(Data(content.utf8)) }
        }
        let file = try ScenarioFile(path: "\(folder)/scenario.yaml")
        return try devices.map { try file.scalingDevices(to: $0) } ?? file
    }
}
