/// How a result came about: everything that may differ between two runs with equal numbers.
package struct RunManifest: Codable, Sendable {
    package var schema = "urlfilter.manifest/1"
    package var version: String
    package var arguments: [String]
    package var host: String
    package var threads: Int
    package var started: String
    package var wallSeconds: Double
    package var cpuSeconds: Double
    package var peakMemoryBytes: Int
    /// SHA-256 of every input file, hexadecimal.
    package var inputs: [String: String]
}
