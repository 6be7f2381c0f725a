/// Result of `urlfilter replay`. As JSON the document `urlfilter.replay/1`. Times are wall seconds.
package struct ReplayResult: Codable, Sendable {
    package static let schemaName = "urlfilter.replay/1"

    package var schema = Self.schemaName
    package var target: String
    /// `direct`, or the URL that sealed messages were posted to.
    package var route: String
    package var usecase: String
    package var trace: Trace
    package var devices: Preparation
    package var points: [ReplayPoint] = []
    /// False when it was interrupted.
    package var finished = true

    package struct Trace: Codable, Sendable {
        package var name: String
        package var loads: Int
        package var clients: Int
        package var distinctURLs: Int
        /// Loads left out: the URL cannot be expanded.
        package var unusable: Int
        /// Loads left out: they miss the prefilter, and only hits were wanted.
        package var misses: Int

        package init(
            name: String, loads: Int, clients: Int, distinctURLs: Int, unusable: Int = 0, misses: Int = 0
        ) {
            self.name = name
            self.loads = loads
            self.clients = clients
            self.distinctURLs = distinctURLs
            self.unusable = unusable
            self.misses = misses
        }

        package init(_ trace: ReplayTrace, name: String) {
            self.init(
                name: name, loads: trace.loads.count, clients: trace.clientCount,
                distinctURLs: trace.urls.count, unusable: trace.unusableCount, misses: trace.missCount)
        }
    }

    package init(
        target: String, route: String, usecase: String, trace: Trace, devices: Preparation
    ) {
        self.target = target
        self.route = route
        self.usecase = usecase
        self.trace = trace
        self.devices = devices
    }

    /// Preparation of the devices before the clock started.
    package struct Preparation: Codable, Sendable {
        package var wanted: Int
        package var ready = 0
        package var seconds = 0.0
        package var exchanges = 0
        /// Devices that could not be prepared, by what stopped them.
        package var failures: [String: Int] = [:]
        package var endpoints: [ReplayPoint.Endpoint] = []

        package init(wanted: Int) { self.wanted = wanted }
    }

    package var hasWrongVerdict: Bool { points.contains { $0.wrongVerdicts > 0 } }
}

/// One run at one rate.
package struct ReplayPoint: Codable, Sendable {
    /// A quantile and its distribution-free interval, which takes loads as independent.
    package struct Quantile: Codable, Hashable, Sendable {
        package var probability: Double
        package var seconds: Double
        /// Nil when there are too few samples for 95 %.
        package var low: Double?
        package var high: Double?

        package init(probability: Double, seconds: Double, low: Double?, high: Double?) {
            self.probability = probability
            self.seconds = seconds
            self.low = low
            self.high = high
        }
    }

    package struct Endpoint: Codable, Sendable {
        package var name: String
        package var count: Int
        package var failed: Int
        package var latency: [Quantile]
        package var sent: Sizes
        package var received: Sizes
    }

    /// Bodies as they were on the wire, bytes.
    package struct Sizes: Codable, Hashable, Sendable {
        package var p50 = 0
        package var p99 = 0
        package var max = 0
        package var total = 0
    }

    /// One second as the devices saw it, by the intended start of the loads and the start of the exchanges.
    package struct Second: Codable, Hashable, Sendable {
        package var second: Int
        package var loads = 0
        /// Decided without the server: prefilter or cache.
        package var local = 0
        package var byServer = 0
        package var byPolicy = 0
        package var wrong = 0
        package var exchanges = 0
        package var failedExchanges = 0
        /// Largest latency of a load that the server was asked for.
        package var slowest = 0.0

        package init(second: Int, loads: Int = 0) {
            self.second = second
            self.loads = loads
        }
    }

    /// Loads per second that were asked for; nil at the trace's own pace.
    package var rate: Double?
    /// Times as fast as the trace; nil with a rate.
    package var speed: Double?
    package var ramp: Double
    package var warmUp: Double
    /// Measured seconds: from the end of the warm-up to the last intended start.
    package var duration: Double

    // Of the measured part only, but for `seconds`.
    package var loads = 0
    package var verdicts: [String: Int] = [:]
    /// Why the policy decided.
    package var policyCauses: [String: Int] = [:]
    package var answeredByCache = 0
    /// Loads that neither prefilter nor caches could decide.
    package var lookups = 0
    package var wrongVerdicts = 0
    package var wrongExamples: [String] = []
    /// Listed URLs that the policy let through, and others that it blocked.
    package var leakedByPolicy = 0
    package var blockedByPolicyOnly = 0
    /// Loads per second that began, and lookups per second that the server answered.
    package var offeredRate = 0.0
    package var answeredRate = 0.0
    /// Latency quantiles of loads that the server was asked for, from the intended start to the verdict, failed ones
    /// included.
    package var latency: [Quantile] = []
    package var endpoints: [Endpoint] = []
    package var errors: [String: Int] = [:]
    /// A full sentence for each error.
    package var errorSentences: [String: String] = [:]
    /// CPU seconds of the servers in the measured part; nil when it could not be read.
    package var serverCPU: Double?
    /// The same by party, without HTTP and TLS; empty when the servers do not tell.
    package var partyCPU: [String: Double] = [:]
    /// CPU seconds of this process in the measured part: the devices' own work.
    package var deviceCPU = 0.0
    /// Seconds by which loads began too late: above some milliseconds the devices' machine is the bottleneck.
    package var lateness: Quantile?
    package var seconds: [Second] = []

    package init(ramp: Double, warmUp: Double, duration: Double) {
        self.ramp = ramp
        self.warmUp = warmUp
        self.duration = duration
    }

    /// Share of the lookups that got the policy's verdict instead of the server's.
    package var policyShare: Double {
        lookups == 0 ? 0 : Double(policyCauses.values.reduce(0, +)) / Double(lookups)
    }

    /// The servers no longer keep up: more than 5 % of what they are asked gets no answer in time.
    package var isSaturated: Bool { policyShare > 0.05 }
}
