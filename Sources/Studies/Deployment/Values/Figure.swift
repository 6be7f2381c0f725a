import Foundation

/// Numbers in comments and queries: six digits at most, none for nothing.
enum Figure {
    static func text(_ number: Double) -> String { String(format: "%.6g", number) }

    /// A duration as Prometheus writes it: `90s`, `5m`, `1h`.
    static func duration(_ seconds: Int) -> String {
        for (unit, length) in [("d", 86_400), ("h", 3_600), ("m", 60)] where seconds % length == 0 {
            return "\(seconds / length)\(unit)"
        }
        return "\(seconds)s"
    }
}
