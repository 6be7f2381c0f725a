import Foundation
import URLFilter

/// What Apple's form for a URL filter's relay asks for, and what can go wrong with the answers.
///
/// The form wants request and response sizes, and peak requests per second and requests per day for each continent
/// (article "Device", section "Onboarding and relay"). Apple publishes neither how sizes are rounded nor what is
/// enforced; field reports say that the relay refuses what is larger than declared.
package struct DeclarationSheet: Codable, Equatable, Sendable {
    package var traffic: ObservedTraffic
    /// What the relay is assumed to forward at most, bytes.
    package var requestCap: Int?
    package var responseCap: Int?
    /// Messages that these caps would refuse.
    package var refused: [Refusal]
    package var warnings: [Warning]

    package struct Refusal: Codable, Equatable, Sendable {
        package enum Direction: String, Codable, Sendable { case request, response }

        /// How much of the endpoint's traffic is hit.
        package enum Share: String, Codable, Sendable {
            case all = "every one"
            case half = "at least half of them"
            case few = "1 % of them or more"
            case rare = "less than 1 % of them"
        }

        package var endpoint: String
        package var direction: Direction
        package var share: Share
        /// The largest message of this kind, bytes.
        package var largest: Double
    }

    package struct Warning: Codable, Equatable, Sendable {
        package var code: String
        package var message: String
    }

    /// - Parameters:
    ///   - requestCap: Largest request that the relay forwards, bytes; `nil` if nobody asks.
    ///   - hosts: Gateway, issuer and service as they would be declared.
    package init(_ traffic: ObservedTraffic, requestCap: Int?, responseCap: Int?, hosts: [String]) {
        self.traffic = traffic
        self.requestCap = requestCap
        self.responseCap = responseCap
        refused = traffic.endpoints.flatMap { endpoint in
            [
                Self.refusal(endpoint.name, .request, endpoint.request, cap: requestCap),
                Self.refusal(endpoint.name, .response, endpoint.response, cap: responseCap),
            ].compactMap(\.self)
        }
        warnings = SheetWarnings(traffic: traffic, refused: refused, hosts: hosts).all
    }

    private static func refusal(
        _ endpoint: String, _ direction: Refusal.Direction, _ sizes: ObservedTraffic.Sizes?, cap: Int?
    ) -> Refusal? {
        guard let cap = cap.map(Double.init), let sizes, sizes.max > cap else { return nil }
        // Without the smallest size, all are known to be refused only where all are equal.
        let share: Refusal.Share =
            sizes.p50 > cap ? (sizes.p50 == sizes.max ? .all : .half) : sizes.p99 > cap ? .few : .rare
        return Refusal(endpoint: endpoint, direction: direction, share: share, largest: sizes.max)
    }
}

/// The sheets of a result, one per point.
package struct SheetDocument: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.sheet/1"

    package var schema = Self.schema
    package var sheets: [DeclarationSheet]

    package init(sheets: [DeclarationSheet]) { self.sheets = sheets }
}

/// The known traps, each with what to do about it.
struct SheetWarnings {
    let traffic: ObservedTraffic
    let refused: [DeclarationSheet.Refusal]
    let hosts: [String]

    /// Requests this much larger than the mean get lost when the mean is declared.
    private static let largeRatio = 2.0

    var all: [DeclarationSheet.Warning] {
        var warnings: [DeclarationSheet.Warning] = []
        func warn(_ code: String, _ message: String) { warnings.append(.init(code: code, message: message)) }
        if let shards = traffic.shards {
            if shards & (shards - 1) != 0 {
                warn("shards.notPowerOfTwo", "\(shards) shards: newer devices accept powers of two only")
            }
            // The generation that accepts fewest (article "Device", section "Caches and keys").
            let strictest = OSGeneration.allCases.filter { $0.rules.maximumShards < shards }
            if let os = strictest.min(by: { $0.rules.maximumShards < $1.rules.maximumShards }) {
                warn(
                    "shards.tooMany",
                    "\(shards) shards: \(os.rawValue) accepts at most \(os.rules.maximumShards)")
            }
        }
        for message in sizeWarnings { warn("size.average", message) }
        for refusal in refused where refusal.endpoint == "key" && refusal.direction == .request {
            warn(
                "cap.key",
                "the cap refuses uploads of evaluation keys (413 at the relay, the gateway never sees them): without a"
                    + " key no lookup succeeds")
        }
        if hosts.isEmpty {
            warn("host.unchecked", "no host was checked; give gateway, issuer and service with --host")
        }
        for host in hosts {
            for problem in Self.problems(ofHost: host) { warn("host", "\(host): \(problem)") }
        }
        if Set(hosts.map { $0.lowercased() }).count < hosts.count {
            warn(
                "host.shared", "gateway, issuer and service need subdomains of their own; one is given twice")
        }
        addObservationWarnings(warn)
        return warnings
    }

    private var sizeWarnings: [String] {
        let total = traffic.endpoints.reduce(0) { $0 + $1.requestsPerDay }
        guard total > 0,
            let largest = traffic.endpoints.max(by: { $0.request.max < $1.request.max })
        else { return [] }
        let mean = traffic.endpoints.reduce(0) { $0 + $1.requestsPerDay * $1.request.mean } / total
        guard largest.request.max > Self.largeRatio * mean else { return [] }
        return [
            "the average request has \(Int(mean.rounded())) bytes, but a /\(largest.name) request"
                + " \(Int(largest.request.max)): the relay was seen to refuse what exceeds the declared size (413), so"
                + " declare the largest"
        ]
    }

    private func addObservationWarnings(_ warn: (String, String) -> Void) {
        for remark in traffic.remarks { warn("observation", remark) }
        if traffic.regions.count == 1 {
            warn(
                "continent.missing",
                "Apple asks for the load per continent; set devices[NAME].continent in the scenario")
        }
        if traffic.observedSeconds < 86_400 {
            let seconds = traffic.observedSeconds
            let time = seconds < 3600 ? "\(Int(seconds)) s" : "\((seconds / 360).rounded() / 10) h"
            warn(
                "day.extrapolated",
                "requests per day are extrapolated from \(time); the busiest hour may not be among them")
            if seconds < 60 {
                warn("minute.short", "the busiest minute is all that was seen, less than a minute")
            }
        }
        if traffic.regions.contains(where: { $0.peakSecond.observations == 1 }) {
            warn("replications.one", "peaks of a single observation have no interval; raise replications.min")
        }
        if traffic.hasTestEntry == false {
            warn(
                "testEntry.missing",
                "www.apple.com/url-filter-test is not on the list; Apple's validation looks it up")
        }
        for sentence in (traffic.unmatchable ?? []).compactMap(\.sentence) {
            warn("entries.unmatchable", sentence)
        }
        warn(
            "launch.excluded",
            "launch day and restarts that lose keys are not in these numbers unless the scenario has them: then every"
                + " device uploads its evaluation key")
    }

    /// Apple takes host names over HTTPS on the default port (article "Device", section "Onboarding and relay").
    static func problems(ofHost text: String) -> [String] {
        var problems: [String] = []
        var rest = Substring(text)
        if let scheme = rest.range(of: "://") {
            if rest[..<scheme.lowerBound].lowercased() != "https" {
                problems.append("only https is accepted")
            }
            rest = rest[scheme.upperBound...]
        }
        if let slash = rest.firstIndex(where: { "/?#".contains($0) }) {
            let isSlash = rest[slash...] == "/"
            problems.append(
                isSlash
                    ? "has a trailing slash; declare the host name alone"
                    : "has a path; declare the host name alone (paths are refused since version 26.4)")
            rest = rest[..<slash]
        }
        if let colon = rest.firstIndex(of: ":") {
            problems.append("has a port; the default port, 443, is the only one")
            rest = rest[..<colon]
        }
        let labels = rest.split(separator: ".", omittingEmptySubsequences: false)
        let isName =
            labels.count >= 2 && rest.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy {
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
                    }
            }
        if !isName || labels.last?.allSatisfy(\.isNumber) == true {
            problems.append("is not a host name such as gateway.example.com")
        }
        return problems
    }
}
