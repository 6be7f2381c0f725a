/// Quantity that is compared at each load.
package enum LiveQuantity: String, CaseIterable, Codable, Sendable {
    case p50, p95, p99, throughput

    /// Probabilities of the latency quantiles, in order.
    package static let probabilities = [0.5, 0.95, 0.99]

    /// Nil for the throughput.
    package var probability: Double? {
        switch self {
        case .p50: 0.5
        case .p95: 0.95
        case .p99: 0.99
        case .throughput: nil
        }
    }
}
