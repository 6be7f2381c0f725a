/// CPU time of one stage, as measured: a sorted sample in nanoseconds.
package struct StageCost: Codable, Hashable, Sendable {
    /// Ascending, never empty.
    package var samples: [Int64]

    package init(samples: [Int64]) {
        precondition(!samples.isEmpty, "a stage cost needs at least one measured sample")
        self.samples = samples.sorted()
    }

    package var mean: Double { samples.reduce(0.0) { $0 + Double($1) } / Double(samples.count) }
    package var median: Int64 { samples[(samples.count - 1) / 2] }
}

/// Cost of one request to one endpoint, stage by stage.
package struct EndpointCost: Codable, Hashable, Sendable {
    package var deviceBegins: StageCost
    package var gatewayOpens: StageCost
    package var serviceAnswers: StageCost
    package var gatewaySeals: StageCost
    package var deviceEnds: StageCost
    /// Time of the request at the ports of gateway and service beyond these: HTTP, TLS, hand-over between threads.
    /// `nil` where it was not measured, or where the times above have it in them.
    package var gatewayPort: StageCost?
    package var servicePort: StageCost?
    /// Encapsulated request and response as they cross the relay, bytes.
    package var requestBytes: Int
    package var responseBytes: Int

    package init(
        deviceBegins: StageCost, gatewayOpens: StageCost, serviceAnswers: StageCost, gatewaySeals: StageCost,
        deviceEnds: StageCost, requestBytes: Int, responseBytes: Int
    ) {
        self.deviceBegins = deviceBegins
        self.gatewayOpens = gatewayOpens
        self.serviceAnswers = serviceAnswers
        self.gatewaySeals = gatewaySeals
        self.deviceEnds = deviceEnds
        self.requestBytes = requestBytes
        self.responseBytes = responseBytes
    }

    /// Mean CPU nanoseconds of the gateway, and of the service.
    package var gatewayMean: Double { gatewayOpens.mean + gatewaySeals.mean + (gatewayPort?.mean ?? 0) }
    package var serviceMean: Double { serviceAnswers.mean + (servicePort?.mean ?? 0) }
}

/// A profile is a file that a person may have edited: what the model could not use is refused when it is read.
extension StageCost {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let samples = try container.decode([Int64].self, forKey: .samples)
        guard !samples.isEmpty else {
            throw container.problem(.samples, "there is no sample; a stage needs at least one")
        }
        for sample in samples { try container.check(sample, in: CostProfile.stageRange, .samples) }
        self.init(samples: samples)
    }
}

extension EndpointCost {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            deviceBegins: try container.decode(StageCost.self, forKey: .deviceBegins),
            gatewayOpens: try container.decode(StageCost.self, forKey: .gatewayOpens),
            serviceAnswers: try container.decode(StageCost.self, forKey: .serviceAnswers),
            gatewaySeals: try container.decode(StageCost.self, forKey: .gatewaySeals),
            deviceEnds: try container.decode(StageCost.self, forKey: .deviceEnds),
            requestBytes: try container.size(.requestBytes), responseBytes: try container.size(.responseBytes)
        )
        gatewayPort = try container.decodeIfPresent(StageCost.self, forKey: .gatewayPort)
        servicePort = try container.decodeIfPresent(StageCost.self, forKey: .servicePort)
    }
}

extension CostProfile {
    /// CPU time of one stage, nanoseconds: up to a quarter of an hour.
    static let stageRange: ClosedRange<Int64> = 0...1_000_000_000_000
    /// One message, bytes.
    static let sizeRange: ClosedRange<Int64> = 0...1_000_000_000
}

extension KeyedDecodingContainer {
    func time(_ key: Key) throws -> Int64 {
        let value = try decode(Int64.self, forKey: key)
        try check(value, in: CostProfile.stageRange, key)
        return value
    }

    func size(_ key: Key) throws -> Int {
        let value = try decode(Int64.self, forKey: key)
        try check(value, in: CostProfile.sizeRange, key)
        return Int(value)
    }

    func check(_ value: Int64, in range: ClosedRange<Int64>, _ key: Key) throws {
        guard range.contains(value) else {
            throw problem(
                key, "\(value) is outside the allowed range \(range.lowerBound)...\(range.upperBound)")
        }
    }

    func problem(_ key: Key, _ sentence: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: sentence)
    }
}
