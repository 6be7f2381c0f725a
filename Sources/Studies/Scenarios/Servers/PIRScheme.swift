import Decoding
import FleetModel
import Foundation
import URLFilter

/// A scheme of private information retrieval that devices do not speak, as its paper's figures make it: never executed
/// here.
///
/// CPU time of an answer is a + b √N + c N seconds, with N the gigabytes of the database; the numbers are those of the
/// paper's machine. Below the smallest size that was measured nothing is known but bounds: not less than c N, for all
/// of the database is read, and not more than the time at that size, which is what is charged. Sizes that depend on N
/// grow with its square root.
package struct PIRScheme: Codable, Hashable, Sendable {
    package var name: String
    /// Name as a scenario writes it: `services.pir.implementation`.
    package var identifier: String
    /// Seconds; see above.
    package var constant: Double
    package var root: Double
    package var linear: Double
    /// Servers that each do this work, and must not talk to each other.
    package var servers: Int
    /// Bytes of a question and an answer of all servers, at 1 GB.
    package var upload: Double
    package var download: Double
    /// Share of the upload and the download that grows with the root of N: 0 or 1.
    package var messagesGrow: Bool
    /// Bytes that each device fetches once for each edition, at 1 GB; they grow with the root of N.
    package var hint: Double
    /// Bytes of a key that each device sends once.
    package var key: Double
    /// Gigabytes that the figures are from.
    package var validity: ClosedRange<Double>
    package var machine: String
    package var source: String

    /// CPU seconds of all servers for one answer; at most so many below the sizes that were measured.
    package func cpu(gigabytes: Double) -> Double {
        let size = max(gigabytes, validity.lowerBound)
        return (constant + root * size.squareRoot() + linear * size) * Double(servers)
    }

    /// CPU seconds that the database takes at least.
    package func leastCPU(gigabytes: Double) -> Double {
        gigabytes < validity.lowerBound ? linear * gigabytes * Double(servers) : cpu(gigabytes: gigabytes)
    }

    package func uploadBytes(gigabytes: Double) -> Double { upload * growth(gigabytes) }
    package func downloadBytes(gigabytes: Double) -> Double { download * growth(gigabytes) }
    package func hintBytes(gigabytes: Double) -> Double { hint * gigabytes.squareRoot() }

    package func isValid(gigabytes: Double) -> Bool { validity.contains(gigabytes) }

    private func growth(_ gigabytes: Double) -> Double { messagesGrow ? gigabytes.squareRoot() : 1 }

    /// Bytes of an entry in such a database: half of a SHA-256, and as much again for a table of keywords to find it
    /// in. Assumption.
    package static let bytesPerEntry = 16.0
}

extension PIRScheme {
    /// Three times of one table, through which a + b √N + c N goes exactly.
    private static func fit(_ points: [(gigabytes: Double, seconds: Double)]) -> (Double, Double, Double) {
        let roots = points.map { $0.gigabytes.squareRoot() }
        // Divided differences of a polynomial of the second degree in √N.
        let first = (points[1].seconds - points[0].seconds) / (roots[1] - roots[0])
        let second = (points[2].seconds - points[1].seconds) / (roots[2] - roots[1])
        let linear = (second - first) / (roots[2] - roots[0])
        let root = first - linear * (roots[0] + roots[1])
        return (points[0].seconds - root * roots[0] - linear * roots[0] * roots[0], root, linear)
    }

    /// A row of Respire's table 1.
    private init(
        respire name: String, _ identifier: String, seconds: (Double, Double, Double), up: Double,
        down: Double,
        grows: Bool = false, hint: Double = 0, key: Double = 0
    ) {
        let (constant, root, linear) = Self.fit([(0.25, seconds.0), (1, seconds.1), (8, seconds.2)])
        self.init(
            name: name, identifier: identifier, constant: constant, root: root, linear: linear, servers: 1,
            upload: up, download: down, messagesGrow: grows, hint: hint, key: key, validity: 0.25...8,
            machine: "r7i.8xlarge, one thread", source: "Respire, table 1 (records of 256 bytes)")
    }

    /// Read second hand (article "Other architectures", section "Other schemes of PIR").
    package static let all = [
        PIRScheme(
            respire: "SimplePIR", "simplepir", seconds: (0.024, 0.093, 0.772), up: 64e3, down: 211e3,
            grows: true,
            hint: 211e6),
        PIRScheme(respire: "YPIR", "ypir", seconds: (0.17, 0.40, 1.71), up: 686e3, down: 120e3),
        PIRScheme(respire: "HintlessPIR", "hintlesspir", seconds: (0.66, 1.24, 3.70), up: 488e3, down: 1.7e6),
        PIRScheme(respire: "Spiral", "spiral", seconds: (1.28, 2.94, 15.4), up: 16e3, down: 20e3, key: 7.8e6),
        PIRScheme(
            respire: "Respire", "respire", seconds: (1.26, 3.48, 20.8), up: 7.7e3, down: 2e3, key: 3.9e6),
        PIRScheme(
            name: "InsPIRe", identifier: "inspire", constant: 0, root: 0, linear: 0.280, servers: 1,
            upload: 280e3, download: 12e3, messagesGrow: false, hint: 0, key: 0, validity: 1...1,
            machine: "Xeon at 2.6 GHz", source: "InsPIRe, table 3 (records of 64 bytes), one size"),
        PIRScheme(
            name: "DPF, two servers", identifier: "dpf", constant: 0, root: 0, linear: 1 / 3 / 0.067,
            servers: 2, upload: 4e3, download: 128, messagesGrow: false, hint: 0, key: 0,
            validity: 0.067...0.068, machine: "one CPU thread",
            source: "GPU-DPF, README (2^20 records of 64 bytes), one size"),
    ]
}

extension CostProfile {
    /// Our own costs with the answers of another scheme. Devices, gateway and tokens are what they were; the keys that
    /// a scheme does not have cost nothing.
    ///
    /// - Parameter entries: Of the whole list, for such schemes ask all of it.
    func answered(by scheme: PIRScheme, entries: Int) -> CostProfile {
        var profile = self
        let gigabytes = Double(gigabytesOf: Double(entries) * PIRScheme.bytesPerEntry)
        let nothing = StageCost(samples: [0])
        let name = Endpoint.queries.rawValue
        profile.endpoints[name]?.serviceAnswers = StageCost(
            samples: [.seconds(rounding: scheme.cpu(gigabytes: gigabytes))])
        profile.endpoints[name]?.requestBytes = Int(
            saturating: scheme.uploadBytes(gigabytes: gigabytes).rounded(.up))
        profile.endpoints[name]?.responseBytes = Int(
            saturating:
                scheme.downloadBytes(gigabytes: gigabytes).rounded(.up))
        profile.extraKeyword.serviceAnswers = profile[.queries]?.serviceAnswers.samples[0] ?? 0
        profile.extraKeyword.requestBytes = profile[.queries]?.requestBytes ?? 0
        profile.extraKeyword.responseBytes = profile[.queries]?.responseBytes ?? 0
        let key = Endpoint.key.rawValue
        if scheme.key == 0 { profile.endpoints[key]?.serviceAnswers = nothing }
        profile.endpoints[key]?.requestBytes = max(Int(saturating: scheme.key), 100)
        profile.evaluationKeyBytes = max(Int(saturating: scheme.key), 1)
        profile.followerShare = 1
        let range =
            scheme.isValid(gigabytes: gigabytes)
            ? "" : ", EXTRAPOLATED: smaller databases are charged as the smallest that was measured"
        profile.server = ServerIdentity(
            name: "\(scheme.name) (modelled)", version: scheme.source,
            obtained: "modelled from a paper's figures on \(scheme.machine)\(range); never executed here")
        return profile
    }
}
