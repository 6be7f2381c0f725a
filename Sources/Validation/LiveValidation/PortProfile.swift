import Decoding
package import DeviceFleet
package import FleetModel
import URLFilter

/// A cost profile with what requests take at the ports of our own gateway, issuer and PIR server.
///
/// A port's cost is its process' CPU time per request, less that of the operation itself: what HTTP, TLS and the
/// hand-over between threads add.
package struct PortProfile: Sendable {
    /// CPU seconds per request, one mean for each batch.
    package struct Row: Sendable {
        /// Name of the endpoint.
        package var name: String
        package var gateway: [Double]
        /// Issuer or PIR server.
        package var service: [Double]
        /// CPU seconds of the operations alone, on average.
        package var bareGateway: Double
        package var bareService: Double
    }

    package var profile: CostProfile
    package var rows: [Row]
    /// Whether the gateway spoke TLS.
    package let hasTLS: Bool

    /// - Parameters:
    ///   - probe: Of servers that are processes of their own, and of their gateway.
    ///   - base: Of this machine, for the same database, measured just before.
    package init(
        _ probe: DeploymentProbe.Result, base: CostProfile, hasTLS: Bool
    ) throws(ObservationError) {
        var profile = base
        var rows: [Row] = []
        for endpoint in Endpoint.ofLookups {
            guard let reading = probe.readings[.endpoint(endpoint)], !reading.cpu.isEmpty,
                !reading.gatewayCPU.isEmpty, let cost = base[endpoint]
            else { throw .notMeasured(endpoint.rawValue) }
            let row = Row(
                name: endpoint.rawValue, gateway: reading.gatewayCPU, service: reading.cpu,
                bareGateway: Double(nanoseconds: cost.gatewayOpens.mean + cost.gatewaySeals.mean),
                bareService: Double(nanoseconds: cost.serviceAnswers.mean))
            rows.append(row)
            profile.endpoints[endpoint.rawValue]?.gatewayPort = Self.port(row.gateway, less: row.bareGateway)
            profile.endpoints[endpoint.rawValue]?.servicePort = Self.port(row.service, less: row.bareService)
        }
        profile.portsWithTLS = hasTLS
        self.hasTLS = hasTLS
        self.profile = profile
        self.rows = rows
    }

    private static func port(_ samples: [Double], less bare: Double) -> StageCost {
        StageCost(samples: samples.map { .seconds(rounding: max(0, $0 - bare)) })
    }
}
