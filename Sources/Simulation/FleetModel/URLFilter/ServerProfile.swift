import Decoding
package import EventSimulation
package import URLFilter

/// Costs of PIR server and issuer of another make, as ratios to ours that were measured side by side on one machine. So
/// they can be carried to the machine of any cost profile.
package struct ServerProfile: Codable, Hashable, Sendable {
    package static let schema = "urlfilter.server/1"
    /// Ratios that a file may name.
    package static let ratioRange = 0.001...1_000.0

    /// A cost over that of our server.
    package struct Ratio: Codable, Hashable, Sendable {
        package var value: Double
        /// Lowest and highest value that was seen; absent if there was one figure only.
        package var low: Double?
        package var high: Double?

        package init(_ value: Double, _ range: ClosedRange<Double>? = nil) {
            self.value = value
            low = range?.lowerBound
            high = range?.upperBound
        }
    }

    package var schema = Self.schema
    /// Name such as `pir-service-example`.
    package var name: String
    /// Version of the code, and how it was built.
    package var version: String
    /// How the ratios were obtained: which machine, when, which load.
    package var obtained: String
    /// CPU time at the server of a request, by `Endpoint.rawValue`. An endpoint that is not there costs what ours does.
    package var cpu: [String: Ratio]
    /// Memory of one user's evaluation key.
    package var evaluationKeyBytes: Ratio
    /// CPU time and peak memory of its tool that processes a database; absent where nobody measured them.
    package var processing: Ratio?
    package var processingMemory: Ratio?
    /// Waiting lookups that it answers together at most; 1 for one by one.
    package var groupLimit: Int
    /// How long a request may wait, seconds; absent if there is no limit.
    package var queueSeconds: Double?
    /// Who is next, and who is refused; first come, first served if absent.
    package var queue: QueueDiscipline?

    package init(
        name: String, version: String, obtained: String, cpu: [Endpoint: Ratio], evaluationKeyBytes: Ratio,
        processing: Ratio? = nil, processingMemory: Ratio? = nil, groupLimit: Int = 1,
        queueSeconds: Double? = nil, queue: QueueDiscipline? = nil
    ) {
        self.name = name
        self.version = version
        self.obtained = obtained
        self.cpu = Dictionary(uniqueKeysWithValues: cpu.map { ($0.key.rawValue, $0.value) })
        self.evaluationKeyBytes = evaluationKeyBytes
        self.processing = processing
        self.processingMemory = processingMemory
        self.groupLimit = groupLimit
        self.queueSeconds = queueSeconds
        self.queue = queue
    }

    package subscript(endpoint: Endpoint) -> Ratio { cpu[endpoint.rawValue] ?? Ratio(1) }

    /// Error in a file's numbers, if there is any.
    package var problem: String? {
        guard schema == Self.schema else { return "its schema is '\(schema)', not '\(Self.schema)'" }
        for (endpoint, ratio) in cpu.sorted(by: { $0.key < $1.key }) {
            guard Endpoint(rawValue: endpoint) != nil else {
                let names = Endpoint.allCases.map(\.rawValue).joined(separator: ", ")
                return "cpu: '\(endpoint)' is no endpoint; there are \(names)"
            }
            if let problem = ratio.problem { return "cpu.\(endpoint): \(problem)" }
        }
        for (name, ratio) in [
            ("evaluationKeyBytes", evaluationKeyBytes), ("processing", processing),
            ("processingMemory", processingMemory),
        ] { if let problem = ratio?.problem { return "\(name): \(problem)" } }
        guard (1...1_000).contains(groupLimit) else {
            return "groupLimit: \(groupLimit) is outside the allowed range 1...1000"
        }
        guard let queueSeconds, !(0.001...1e9).contains(queueSeconds) else { return nil }
        return "queueSeconds: \(queueSeconds) is outside the allowed range 0.001...1e9"
    }
}

extension ServerProfile.Ratio {
    fileprivate var problem: String? {
        for number in [value, low, high].compactMap({ $0 })
        where !ServerProfile.ratioRange.contains(number) {
            return "\(number) is outside the allowed range \(ServerProfile.ratioRange)"
        }
        guard low ?? value <= value, value <= high ?? value else {
            return "\(value) is not between low and high"
        }
        return nil
    }
}

/// Whose server a cost profile is about.
package struct ServerIdentity: Codable, Hashable, Sendable {
    /// Name such as `urlfilter serve`.
    package var name: String
    package var version: String
    /// How its costs were obtained, if they were not measured on the profile's machine.
    package var obtained: String?
    /// CPU time of a lookup over ours, likewise.
    package var lookupRatio: ServerProfile.Ratio?

    package init(
        name: String, version: String, obtained: String? = nil, lookupRatio: ServerProfile.Ratio? = nil
    ) {
        self.name = name
        self.version = version
        self.obtained = obtained
        self.lookupRatio = lookupRatio
    }

    /// The name of ours.
    package static let workbench = "urlfilter serve"
}

extension CostProfile {
    /// This machine's costs with another server: work and memory of PIR server and issuer times the ratios. Gateway and
    /// devices are what they were.
    package func served(by server: ServerProfile) -> CostProfile {
        var profile = self
        for endpoint in Endpoint.allCases {
            let ratio = server[endpoint].value
            profile.endpoints[endpoint.rawValue]?.serviceAnswers.scale(by: ratio)
            // The ratios are of what a request takes at the port.
            profile.endpoints[endpoint.rawValue]?.servicePort?.scale(by: ratio)
        }
        profile.extraKeyword.serviceAnswers = Int64(
            saturating: (Double(extraKeyword.serviceAnswers) * server[.queries].value).rounded())
        // A file may say anything; a petabyte is as much as too much.
        profile.evaluationKeyBytes = Int(
            saturating:
                min(Double(evaluationKeyBytes) * server.evaluationKeyBytes.value, 1e15).rounded())
        // How one by one goes needs no share, and of groups of others nothing is known: nothing is saved.
        profile.followerShare = 1
        profile.server = ServerIdentity(
            name: server.name, version: server.version, obtained: server.obtained,
            lookupRatio: server[.queries])
        return profile
    }
}

extension StageCost {
    fileprivate mutating func scale(by factor: Double) {
        samples = samples.map { Int64(saturating: (Double($0) * factor).rounded()) }
    }
}
