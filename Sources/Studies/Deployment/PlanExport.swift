import Decoding
import Questions

/// Tools that take a plan of servers.
package enum ExportFormat: String, CaseIterable, Sendable {
    case kubernetes, prometheus, grafana, terraform, k6
}

/// Programs that can be deployed.
package enum ServerProgram: String, CaseIterable, Sendable {
    /// `urlfilter serve`.
    case workbench
    /// PIRService of Apple's pir-service-example, behind our gateway.
    case apple
}

/// Knowledge that no plan has.
package struct ExportOptions: Sendable {
    package var server = ServerProgram.workbench
    /// Domain of the public names: gateway, issuer and pir stand before it.
    package var domain = "example.com"
    /// Container image of the server.
    package var image: String?

    package init() {}

    static let gatewayImage = "registry.example.com/urlfilter:latest"

    var serverImage: String {
        image
            ?? (server == .workbench ? Self.gatewayImage : "registry.example.com/pir-service-example:latest")
    }
}

/// A file of an export.
package struct ExportedFile: Equatable, Sendable {
    package var name: String
    package var text: String
}

package enum ExportError: InputFault, CustomStringConvertible, Equatable {
    case noServers(scenario: String)
    case notAPlan(file: String, reason: String)

    package var description: String {
        switch self {
        case .noServers(let scenario):
            "the plan of '\(scenario)' has no servers: no machines met its rule; see what 'urlfilter capacity'"
                + " says of it"
        case .notAPlan(let file, let reason):
            "\(file): no answer of 'urlfilter capacity --output DIR': \(reason); give DIR or its plan.json"
        }
    }
}

extension DeployedPlan {
    package func export(as format: ExportFormat, _ options: ExportOptions) throws -> [ExportedFile] {
        switch format {
        case .kubernetes: try KubernetesExport(plan: self, options: options).files
        case .prometheus: try PrometheusExport(plan: self, options: options).files
        case .grafana: try GrafanaExport(plan: self, options: options).files
        case .terraform: TerraformExport(plan: self).files
        case .k6: try LoadScript(plan: self, options: options).files
        }
    }

    /// Source of an export, for the head of a file.
    func head(_ tool: String) -> [String] {
        [
            "Made by 'urlfilter export --as \(tool)' of the plan for \(devices) devices of '\(scenario)'.",
            "Peak: \(Int(saturating: rule.targetUtilization * 100)) % busy at most while \(rule.spareInstances)"
                + " of each service's instances may be gone.",
        ] + assumptions.map { "ASSUMED: " + $0 }
    }
}
