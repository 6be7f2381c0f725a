import Decoding
package import EventSimulation
package import URLFilter

/// A PIR server and issuer as data: what its work costs, in which order and how many at once it serves, and what it
/// keeps. Ours, Apple's example service and a file (`services.pir.implementation`) are values of this type.
///
/// Costs are ratios to ours that were measured side by side on one machine, so that they can be carried to the machine
/// of any cost profile.
package struct ServerDescription: Codable, Hashable, Sendable {
    package static let schema = "urlfilter.server/1"
    /// Ratios that a file may name.
    package static let ratioRange = 0.001...1_000.0

    /// A number and the interval in which it lies: a ratio to our server, or seconds where that is said.
    package struct Figure: Codable, Hashable, Sendable {
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

    /// Time at which the server makes an evaluation key ready that came as bytes.
    package struct KeyParsing: Codable, Hashable, Sendable {
        package enum Time: String, CaseIterable, Codable, Sendable {
            case atUpload, atEveryQuery
        }

        package var at: Time
        /// CPU time of it at every query, over that of ours with `services.pir.keys: bytes`. It is added to `cpu`,
        /// whose ratio of `/key`, like that of the key's memory, is then over ours with such keys. Absent: in `cpu`.
        package var cpu: Figure?

        package init(at time: Time, cpu: Figure? = nil) { (at, self.cpu) = (time, cpu) }
    }

    /// A line that the server writes for each request.
    package struct RequestLog: Codable, Hashable, Sendable {
        /// CPU time that it adds to each request, seconds; absent: in `cpu` already.
        package var seconds: Figure?

        package init(seconds: Figure? = nil) { self.seconds = seconds }
    }

    package var schema = Self.schema
    /// Name such as `pir-service-example`.
    package var name: String
    /// Version of the code, and how it was built.
    package var version: String
    /// How the ratios were obtained: which machine, when, which load.
    package var obtained: String

    // MARK: Work

    /// CPU time at the server of a request, by `Endpoint.rawValue`. An endpoint that is not there costs what ours does.
    package var cpu: [String: Figure]
    /// Memory of one user's evaluation key.
    package var evaluationKeyBytes: Figure
    /// At upload if absent.
    package var keyParsing: KeyParsing?
    /// Writes none if absent.
    package var requestLog: RequestLog?
    /// CPU time and peak memory of its tool that processes a database; absent where nobody measured them.
    package var processing: Figure?
    package var processingMemory: Figure?

    // MARK: Line

    /// Requests that an instance computes at once at most; one for each core if absent.
    package var threads: Int?
    /// Who is next, and who is refused; first come, first served if absent.
    package var queue: QueueDiscipline?
    /// How long a request may wait, seconds; absent if there is no limit.
    package var queueSeconds: Double?
    /// Waiting lookups that it answers together at most; 1 for one by one.
    package var groupLimit: Int
    /// Questions in all of them at most, unless the first one alone has more; absent if there is no limit.
    package var groupQuestions: Int?
    /// Time that each lookup of a group after the first adds, over its time alone. Absent: as much, so that nothing is
    /// saved; of ours what the cost profile has.
    package var followerShare: Double?

    // MARK: Memory, and what comes and goes

    /// Place of evaluation keys; if absent, one instance has them in memory and several share a store.
    package var keyStore: KeyStoreKind?
    /// An instance that has just begun is slower; if absent it is not.
    package var coldStart: ColdStart?
    /// There are none if absent.
    package var pauses: ServerPauses?

    /// Source of each of the facts above, by its name; what has none is an assumption.
    package var sources: [String: String]?

    package init(
        name: String, version: String, obtained: String, cpu: [Endpoint: Figure] = [:],
        evaluationKeyBytes: Figure = .init(1), groupLimit: Int = 1, sources: [Fact: String]? = nil
    ) {
        self.name = name
        self.version = version
        self.obtained = obtained
        self.cpu = Dictionary(uniqueKeysWithValues: cpu.map { ($0.key.rawValue, $0.value) })
        self.evaluationKeyBytes = evaluationKeyBytes
        self.groupLimit = groupLimit
        self.sources = sources.map {
            Dictionary(uniqueKeysWithValues: $0.map { ($0.key.rawValue, $0.value) })
        }
    }

    package subscript(endpoint: Endpoint) -> Figure { cpu[endpoint.rawValue] ?? Figure(1) }

    /// The server of this program, to which the others are compared.
    package var isOurs: Bool { name == ServerIdentity.workbench }

    /// Facts that have a source of their own; the ratios have `obtained`.
    package enum Fact: String, CaseIterable, Sendable {
        case keyParsing, requestLog, threads, queue, queueSeconds, groupLimit, groupQuestions, followerShare,
            keyStore, coldStart, pauses
    }

    /// Source of a fact as `plan` says it.
    package func source(of fact: Fact) -> String {
        let source = sources?[fact.rawValue]
        guard !isOurs else { return source ?? "assumption" }
        return source.map { "services.pir.implementation: " + $0 }
            ?? "assumption: services.pir.implementation has no source for \(fact.rawValue)"
    }
}

// MARK: - What may be wrong with a file

extension ServerDescription {
    /// Error in a file's numbers and names, if there is any: where it is, and what would be right.
    package var problem: String? {
        guard schema == Self.schema else { return "its schema is '\(schema)', not '\(Self.schema)'" }
        if isOurs { return "name: '\(name)' is the server that others are compared to; give another name" }
        for (endpoint, ratio) in cpu.sorted(by: { $0.key < $1.key }) {
            guard Endpoint(rawValue: endpoint) != nil else {
                let names = Endpoint.allCases.map(\.rawValue).joined(separator: ", ")
                return "cpu: '\(endpoint)' is no endpoint; there are \(names)"
            }
            if let problem = ratio.problem(in: Self.ratioRange) { return "cpu.\(endpoint): \(problem)" }
        }
        return problemOfWork ?? problemOfLine ?? problemOfTimes ?? problemOfSources
    }

    private var problemOfWork: String? {
        for (name, ratio, range) in [
            ("evaluationKeyBytes", evaluationKeyBytes, Self.ratioRange),
            ("keyParsing.cpu", keyParsing?.cpu, Self.ratioRange),
            ("requestLog.seconds", requestLog?.seconds, 0...10), ("processing", processing, Self.ratioRange),
            ("processingMemory", processingMemory, Self.ratioRange),
        ] { if let problem = ratio?.problem(in: range) { return "\(name): \(problem)" } }
        guard keyParsing?.at == .atUpload, keyParsing?.cpu != nil else { return nil }
        return "keyParsing.cpu: what an upload takes is cpu.key; leave it out, or write atEveryQuery"
    }

    private var problemOfLine: String? {
        Self.problem("threads", threads, in: 1...1_024) ?? Self.problem(
            "groupLimit", groupLimit, in: 1...1_000)
            ?? Self.problem("groupQuestions", groupQuestions, in: 1...1_000_000)
            ?? Self.problem("followerShare", followerShare, in: 0...1)
            ?? Self.problem("queueSeconds", queueSeconds, in: 0.001...1e9)
    }

    private var problemOfTimes: String? {
        if let every = pauses?.every, let seconds = pauses?.seconds, seconds <= 0 || seconds >= every {
            return "pauses.seconds: \(seconds) must be above 0 and less than pauses.every, \(every)"
        }
        return Self.problem("coldStart.factor", coldStart?.factor, in: ColdStart.factorRange)
            ?? Self.problem("coldStart.seconds", coldStart?.seconds, in: ColdStart.secondsRange)
            ?? Self.problem("pauses.every", pauses?.every, in: ServerPauses.everyRange)
    }

    private var problemOfSources: String? {
        let unknown = (sources ?? [:]).keys.sorted().first { Fact(rawValue: $0) == nil }
        return unknown.map {
            let names = Fact.allCases.map(\.rawValue).joined(separator: ", ")
            return
                "sources: '\($0)' has none of its own (ratios have 'obtained'); those that have are \(names)"
        }
    }

    private static func problem<Value: Comparable>(
        _ name: String, _ value: Value?, in range: ClosedRange<Value>
    ) -> String? {
        value.flatMap { range.contains($0) ? nil : "\(name): \($0) is outside the allowed range \(range)" }
    }
}

extension ServerDescription.Figure {
    fileprivate func problem(in range: ClosedRange<Double>) -> String? {
        for number in [value, low, high].compactMap({ $0 }) where !range.contains(number) {
            return "\(number) is outside the allowed range \(range)"
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
    package var lookupRatio: ServerDescription.Figure?

    package init(
        name: String, version: String, obtained: String? = nil, lookupRatio: ServerDescription.Figure? = nil
    ) {
        self.name = name
        self.version = version
        self.obtained = obtained
        self.lookupRatio = lookupRatio
    }

    /// The name of ours.
    package static let workbench = "urlfilter serve"
}
