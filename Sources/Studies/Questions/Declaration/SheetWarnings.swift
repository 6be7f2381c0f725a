import Decoding
import Experiment
import Foundation
import URLFilter

/// The known traps, each with what to do about it.
struct SheetWarnings {
    let traffic: ObservedTraffic
    let refused: [DeclarationSheet.Refusal]
    let hosts: [String]
    let recommendations: [Recommendation]
    /// Kinds of days that the declaration covers.
    let days: Set<DayKind>

    /// Requests this much larger than the mean get lost when the mean is declared.
    private static let largeRatio = 2.0

    var all: [DeclarationSheet.Warning] {
        var warnings: [DeclarationSheet.Warning] = []
        func warn(_ code: WarningCode, _ message: String) {
            warnings.append(.init(code: code, message: message))
        }
        if let shards = traffic.shards {
            if !ShardCount.isPowerOfTwo(shards) {
                warn(.shardsNotPowerOfTwo, "\(shards) shards: newer devices accept powers of two only")
            }
            // The generation that accepts fewest (article "Device", section "Caches and keys").
            let strictest = OSGeneration.allCases.filter { $0.rules.maximumShards < shards }
            if let os = strictest.min(by: { $0.rules.maximumShards < $1.rules.maximumShards }) {
                warn(
                    .shardsTooMany,
                    "\(shards) shards: \(os.rawValue) accepts at most \(os.rules.maximumShards)")
            }
        }
        for message in sizeWarnings { warn(.sizeAverage, message) }
        for refusal in refused where refusal.endpoint == "key" && refusal.direction == .request {
            warn(
                .capKey,
                "the cap refuses uploads of evaluation keys (413 at the relay, the gateway never sees them): without a"
                    + " key no lookup succeeds")
        }
        if hosts.isEmpty {
            warn(.hostUnchecked, "no host was checked; give gateway, issuer and service with --host")
        }
        for host in hosts {
            for problem in Self.problems(ofHost: host) { warn(.host, "\(host): \(problem)") }
        }
        if Set(hosts.map { $0.lowercased() }).count < hosts.count {
            warn(
                .hostShared, "gateway, issuer and service need subdomains of their own; one is given twice")
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
            "the average request has \(Int(saturating: mean.rounded())) bytes, but a /\(largest.name) request"
                + " \(Int(largest.request.max)): the relay was seen to refuse what exceeds the declared size (413), so"
                + " declare the largest"
        ]
    }

    private func addObservationWarnings(_ warn: (WarningCode, String) -> Void) {
        for remark in traffic.remarks { warn(.observation, remark) }
        if traffic.regions.count == 1 {
            warn(
                .continentMissing,
                "Apple asks for the load per continent; set devices[NAME].continent in the scenario")
        }
        if traffic.observedSeconds < 86_400 {
            let seconds = traffic.observedSeconds
            let time = seconds < 3600 ? "\(Int(seconds)) s" : "\((seconds / 360).rounded() / 10) h"
            warn(
                .dayExtrapolated,
                "requests per day are extrapolated from \(time); the busiest hour may not be among them")
            if seconds < 60 {
                warn(.minuteShort, "the busiest minute is all that was seen, less than a minute")
            }
        }
        if traffic.regions.contains(where: { $0.peakSecond.observations == 1 }) {
            warn(.replicationsOne, "peaks of a single observation have no interval; raise replications.min")
        }
        if traffic.hasTestEntry == false {
            warn(
                .testEntryMissing,
                "www.apple.com/url-filter-test is not on the list; Apple's validation looks it up")
        }
        for sentence in (traffic.unmatchable ?? []).compactMap(\.sentence) {
            warn(.entriesUnmatchable, sentence)
        }
        if let open = recommendations.flatMap(\.all).first(where: { $0.value == nil }) {
            warn(
                .declareUnknown,
                open.observations < 2
                    ? "one observation has no spread, so nothing tells what another day is like; raise"
                        + " replications.min and max to 5 or more"
                    : "all \(open.observations) runs agree, which does not tell what another day is like; it takes"
                        + " \(open.withoutLaw) of them")
        }
        let missing = [DayKind.launch, .restart].filter {
            !days.contains($0) && !days.contains(.launchAndRestart)
        }
        if !missing.isEmpty {
            warn(
                .launchExcluded,
                "\(missing.map(\.rawValue).joined(separator: " and ")): not in these numbers, and every device"
                    + " uploads its evaluation key then; name such runs too (article Planning, \"What to declare\")"
            )
        }
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
