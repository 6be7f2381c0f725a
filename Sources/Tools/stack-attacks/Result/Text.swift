import Foundation

/// Numbers as the table shows them.
enum Text {
    static func seconds(_ seconds: Double) -> String {
        seconds < 1 ? "\(Int((seconds * 1e3).rounded())) ms" : String(format: "%.1f s", seconds)
    }

    static func bytes(_ count: Int) -> String {
        count < 1 << 20 ? "\(count >> 10) KB" : "\(count >> 20) MB"
    }

    static func ratio(_ ratio: Double) -> String {
        ratio < 1
            ? String(format: "%.2f x", ratio)
            : ratio < 10 ? String(format: "%.1f x", ratio) : "\(Int(ratio.rounded())) x"
    }

    /// `200: 3, 404: 1`, the most frequent first.
    static func counts(_ counts: [String: Int]) -> String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key): \($0.value)" }
            .joined(separator: ", ")
    }
}
