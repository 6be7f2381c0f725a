import Decoding
package import RandomStreams
package import Statistics
package import Timing
package import URLFilter

/// Costs of the real protocol code on one machine, for one list and one parameter set.
///
/// CPU times are whole empirical samples, drawn from independently per stage.
package struct CostProfile: Codable, Hashable, Sendable {
    package static let schema = "urlfilter.profile/1"

    package var schema: String
    /// Whose PIR server and issuer; ours if it is absent, as in a profile that an older version measured.
    package var server: ServerIdentity?
    package var machine: Machine
    package var subject: Subject
    /// Keyed by `Endpoint.rawValue`; `queries` is a request for one keyword.
    package var endpoints: [String: EndpointCost]
    /// Cost that each further keyword of a `/queries` request adds.
    package var extraKeyword: ExtraKeyword
    /// One evaluation key in the memory of a server that uses it, bytes.
    package var evaluationKeyBytes: Int
    /// Costs that change if the server keeps keys as bytes; absent in a profile that an older version measured.
    package var keysAsBytes: KeysAsBytes?
    /// Time that each lookup of a group answered together adds after the first, over its time alone. In `0...1`; `nil`
    /// in a profile that an older version measured.
    package var followerShare: Double?
    /// The machine's phases; `nil` if it shows none, or an older version measured.
    package var speed: SpeedProcess?
    /// Levels of this machine, database and build, of every time that they were measured; `nil` if they never were.
    package var calibrations: [SpeedDrift.Calibration]?
    /// Whether the gateway spoke TLS when ports were measured; `nil` if they were not.
    package var portsWithTLS: Bool?

    package init(
        machine: Machine, subject: Subject, endpoints: [String: EndpointCost], extraKeyword: ExtraKeyword,
        evaluationKeyBytes: Int, followerShare: Double? = nil
    ) {
        schema = Self.schema
        self.machine = machine
        self.subject = subject
        self.endpoints = endpoints
        self.extraKeyword = extraKeyword
        self.evaluationKeyBytes = evaluationKeyBytes
        self.followerShare = followerShare
    }

    package subscript(endpoint: Endpoint) -> EndpointCost? { endpoints[endpoint.rawValue] }

    /// Whether HTTP and TLS at the gateway are in the costs, and at issuer and PIR server.
    package var hasGatewayPort: Bool { endpoints.values.contains { $0.gatewayPort != nil } }
    package var hasServicePort: Bool {
        isObserved || endpoints.values.contains { $0.servicePort != nil }
    }

    /// The costs of PIR server and issuer are those of running servers.
    private var isObserved: Bool { server?.obtained != nil && server?.lookupRatio == nil }

    /// How the level of a run differs from that of the profile.
    package var drift: SpeedDrift { SpeedDrift(calibrations ?? []) }

    /// How the machine's speed wanders in a run: its phases, and a level of its own.
    package var wandering: SpeedProcess {
        SpeedProcess(
            spread: speed?.spread ?? 0, time: speed?.time ?? 1,
            daily: speed.map(\.daily).flatMap { $0 > 0 ? $0 : nil } ?? drift.deviation)
    }

    /// Levels that are kept of one machine.
    private static let mostCalibrations = 1_000

    /// Returns this profile with the port costs and the levels of another of the same machine and database.
    package func withHistory(of other: CostProfile) -> CostProfile {
        var profile = self
        // Who only measures costs has not looked for phases.
        if calibrations == nil { profile.speed = other.speed }
        let levels = (other.calibrations ?? []) + (calibrations ?? [])
        profile.calibrations = levels.isEmpty ? nil : levels.suffix(Self.mostCalibrations)
        profile.portsWithTLS = other.portsWithTLS
        for name in endpoints.keys {
            profile.endpoints[name]?.gatewayPort = other.endpoints[name]?.gatewayPort
            profile.endpoints[name]?.servicePort = other.endpoints[name]?.servicePort
        }
        return profile
    }

    /// A server that keeps evaluation keys as they came and makes them ready for every lookup.
    package struct KeysAsBytes: Codable, Hashable, Sendable {
        /// An upload to `/key`, in place of the endpoint's.
        package var upload: StageCost
        /// Time that making its key ready adds to a request, however many keywords are in it.
        package var lookup: StageCost
        /// One evaluation key in memory, bytes.
        package var evaluationKeyBytes: Int

        package init(upload: StageCost, lookup: StageCost, evaluationKeyBytes: Int) {
            self.upload = upload
            self.lookup = lookup
            self.evaluationKeyBytes = evaluationKeyBytes
        }
    }

    /// How much the answers of the PIR server differ: half of the range from the 10th to the 90th percentile, over the
    /// median. `nil` where that says nothing of the machine: for fewer than ten samples, and below a fifth of a
    /// millisecond, where the clock is as coarse. Nor do servers that were observed at their work: their answers differ
    /// because their requests do.
    package var noise: Double? {
        guard !isObserved, let samples = self[.queries]?.serviceAnswers.samples, samples.count >= 10 else {
            return nil
        }
        let median = samples[(samples.count - 1) / 2]
        guard median >= 200_000 else { return nil }
        let (low, high) = (samples[(samples.count - 1) / 10], samples[(samples.count - 1) * 9 / 10])
        return Double(high - low) / 2 / Double(median)
    }

    /// Measured beside other work: on an idle machine the noise is 2 to 6 %.
    package var isNoisy: Bool { noise.map { $0 > Self.largestNoise } ?? false }

    /// Above it, other work is taken to have disturbed a measurement.
    package static let largestNoise = 0.15

    /// Database and parameters that were measured: a profile is good for exactly this database shape.
    package struct Subject: Codable, Hashable, Sendable {
        package var rlweParameters: String
        package var entries: Int
        package var shards: Int
        /// First-dimension and second-dimension sizes of the largest shard.
        package var dimensions: [Int]
        package var databaseBytes: Int

        package init(
            rlweParameters: String, entries: Int, shards: Int, dimensions: [Int], databaseBytes: Int
        ) {
            self.rlweParameters = rlweParameters
            self.entries = entries
            self.shards = shards
            self.dimensions = dimensions
            self.databaseBytes = databaseBytes
        }

        /// Processed database of all shards, bytes, were all as large as the largest.
        package var allBytes: Int {
            let (bytes, overflows) = databaseBytes.multipliedReportingOverflow(by: shards)
            return overflows ? .max : bytes
        }
    }

    /// Mean increments per keyword beyond the first: CPU nanoseconds and bytes.
    package struct ExtraKeyword: Codable, Hashable, Sendable {
        package var deviceBegins: Int64
        package var gatewayOpens: Int64
        package var serviceAnswers: Int64
        package var gatewaySeals: Int64
        package var deviceEnds: Int64
        package var requestBytes: Int
        package var responseBytes: Int

        package init(
            deviceBegins: Int64, gatewayOpens: Int64, serviceAnswers: Int64, gatewaySeals: Int64,
            deviceEnds: Int64, requestBytes: Int, responseBytes: Int
        ) {
            self.deviceBegins = deviceBegins
            self.gatewayOpens = gatewayOpens
            self.serviceAnswers = serviceAnswers
            self.gatewaySeals = gatewaySeals
            self.deviceEnds = deviceEnds
            self.requestBytes = requestBytes
            self.responseBytes = responseBytes
        }
    }
}

extension CostProfile.ExtraKeyword {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            deviceBegins: try container.time(.deviceBegins), gatewayOpens: try container.time(.gatewayOpens),
            serviceAnswers: try container.time(.serviceAnswers),
            gatewaySeals: try container.time(.gatewaySeals), deviceEnds: try container.time(.deviceEnds),
            requestBytes: try container.size(.requestBytes), responseBytes: try container.size(.responseBytes)
        )
    }
}

/// Why a cost profile cannot be used.
package enum CostProfileError: InputFault, Equatable, CustomStringConvertible {
    case missingEndpoint(String)

    package var description: String {
        switch self {
        case .missingEndpoint(let name):
            "the cost profile has no endpoint '\(name)'; delete the file and measure again"
        }
    }
}
