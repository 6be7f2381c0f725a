import Experiment
import Foundation

/// Results made by hand, for whatever renders them.
enum SampleResult {
    /// Text that would break a page, a table or a shell that trusts it.
    static let hostile = "a\"<b>&amp;'</style><script src=http://x.example/></script>,\u{1}\u{7}\r\n;\u{FFFE}"

    static func metric(
        _ name: String, _ statistic: String, _ unit: String, _ value: Double, half: Double? = nil
    ) -> String {
        let interval = half.map {
            """
            , "interval": { "low": \(max(0, value - $0)), "high": \(value + $0), "confidence": 0.95, "method": "t" }
            """
        }
        return """
            { "name": "\(name)", "statistic": "\(statistic)", "unit": "\(unit)", "better": "lower",
              "value": \(value), "perReplication": [\(value), \(value * 1.5)], "samples": 2,
              "method": "\(half == nil ? "none" : "Student's t")"\(interval ?? "") }
            """
    }

    private static func shares(_ scale: Double) -> [String] {
        let values: [(String, Double)] = [
            ("allowedByPrefilter", 0.971), ("allowedByServer", 0.0268), ("blockedByServer", 0.00105 * scale),
            ("allowedByPolicy", 0.00136), ("blockedByPolicy", 0),
        ]
        return values.map { metric("url.\($0.0)", "rate", "1", $0.1, half: 0.0001) }
    }

    private static func times(_ scale: Double) -> [String] {
        let latencies: [(String, Double)] = [("p50", 0.0931), ("p99", 0.151 * scale), ("max", 0.3)]
        var lines = latencies.map { metric("lookup.latency", $0.0, "s", $0.1, half: 0.001) }
        let stages = [
            "device", "transmission", "propagation", "gatewayWaiting", "gatewayWorking", "pirWaiting",
        ]
        for (index, stage) in stages.enumerated() {
            let seconds: Double = 0.01 * Double(index) * scale
            lines.append(metric("lookup.\(stage)", "mean", "s", seconds, half: 0.0005))
        }
        return lines
    }

    private static func stations(_ scale: Double) -> [String] {
        var lines: [String] = []
        for name in ["gateway", "issuer", "pir"] {
            lines.append(metric("\(name).utilization", "mean", "1", 0.31 * scale, half: 0.02))
            lines.append(metric("\(name).queue", "mean", "count", 0.2))
            lines.append(metric("\(name).queue", "max", "count", 7))
        }
        return lines
    }

    /// Keys all of one size in each replication, queries of several.
    private static var traffic: [String] {
        var lines: [String] = []
        func sizes(_ name: String, _ bytes: Double, _ factors: [(String, Double)]) {
            for (statistic, factor) in factors { lines.append(metric(name, statistic, "B", bytes * factor)) }
        }
        let same: [(String, Double)] = [("mean", 1), ("p50", 1), ("p99", 1), ("max", 1)]
        let several: [(String, Double)] = [("mean", 1.05), ("p50", 1), ("p99", 1.5), ("max", 2)]
        for name in ["key", "queries"] {
            lines.append(metric("\(name).requests", "count", "count", 1000))
            lines.append(metric("\(name).requests", "peak", "count", 9))
        }
        sizes("key.request", 426_212, same)
        sizes("key.response", 35, same)
        sizes("queries.request", 29_003, several)
        sizes("queries.response", 24_664, several)
        for place in ["", ".EU", ".NA"] {
            let perDay: Double = place.isEmpty ? 3000 : 1500
            lines.append(metric("relay.requests\(place)", "perDay", "count", perDay, half: 100))
            lines.append(metric("relay.requests\(place)", "peakSecond", "count", 12, half: 2))
            lines.append(metric("relay.requests\(place)", "peakMinute", "count", 250, half: 20))
        }
        return lines
    }

    private static func others(_ scale: Double) -> [String] {
        [
            metric("url.leaked", "count", "count", 500 * scale, half: 36),
            metric("url.falselyBlocked", "count", "count", 0, half: 0.7),
            metric("lookup.per1000URLs", "rate", "count", 12, half: 0.2),
            metric("lookup.perDeviceDay", "rate", "count", 886 * scale, half: 26),
        ]
    }

    /// - Parameter scale: Multiplies what differs between points.
    private static func metrics(_ scale: Double) -> [String] {
        shares(scale) + times(scale) + stations(scale) + traffic + others(scale)
    }

    private static func column(_ name: String) -> String {
        """
        { "name": "\(name)", "unit": "count", "values": [1, 2.5, 0, 4], "low": [0, 2, 0, 3],
          "high": [2, 3, 0, 5] }
        """
    }

    static func point(_ settings: [String: String] = [:], scale: Double = 1) throws -> PointResult {
        var series = ["url.leaked", "url.falselyBlocked", "lookup.sent", "lookup.failed"].map(column)
        series.append(#"{ "name": "lookup.latency", "unit": "s", "values": [null, 0.0935, 0.095, null] }"#)
        series.append(#"{ "name": "pir.utilization", "unit": "1", "values": [null, 0.3, 0.625, 0.1] }"#)
        let json = """
            { "settings": {}, "replications": 2, "fingerprints": [], "events": 9, "thinTails": [], "disclosures": [],
              "metrics": [\(metrics(scale).joined(separator: ", "))],
              "counts": { "urlsChecked": 1234567, "urlsUnparseable": 0, "stringsTested": 0, "urlsHit": 0,
                "urlsListed": 0, "verdicts": {}, "answeredByCache": 0, "leaked": 0, "falselyBlocked": 0,
                "policyCauses": {}, "unfinished": 0, "lookupsSent": 0, "lookupsAnswered": 0,
                "lookupsAnsweredLate": 0, "lookupsCoalesced": 0, "lookupsUnfinished": 0, "lookupFailures": {},
                "realLookupsChecked": 242, "realLookupDisagreements": 0 },
              "analytic": [{ "name": "url.falseHit rate", "formula": "1 - (1 - p)^k", "unit": "1",
                "predicted": 0.0301, "simulated": 0.0281 }],
              "identities": [{ "name": "URL checks", "formula": "a = b", "checks": 12, "violations": 0 }],
              "objectives": [
                { "expression": "lookup.latency p99 < 800ms", "metric": "lookup.latency", "statistic": "p99",
                  "unit": "s", "limit": 0.8, "observed": 0.151, "passed": true, "verdict": "pass" },
                { "expression": "url.leaked count == 0", "metric": "url.leaked", "statistic": "count",
                  "unit": "count", "limit": 0, "observed": 500, "passed": false, "verdict": "fail" }],
              "warnings": [{ "code": "day.stretched", "message": "watch <this>" }],
              "latencyCurve": { "shares": [0.01, 0.5, 0.9, 0.97, 0.99], "values": [0.05, 0.0931, 0.12, 0.14, 0.151],
                "low": [0.04, 0.0921, 0.11, 0.13, 0.15], "high": [0.06, 0.0941, 0.13, 0.15, 0.152],
                "confidence": 0.95, "samples": 300 },
              "series": { "interval": 900, "columns": [\(series.joined(separator: ", "))] },
              "recoveries": [{ "fault": "outage of pir", "begin": 1000, "end": 1600, "failureShare": 0.01,
                "windowSeconds": 60, "value": 75, "perReplication": [70, 80], "censored": 0 }] }
            """
        var point = try JSONDecoder().decode(PointResult.self, from: Data(json.utf8))
        point.settings = settings
        return point
    }

    static func result(points: [PointResult]) throws -> RunResult {
        let json = """
            { "schema": "urlfilter.result/2", "finished": true, "modelled": ["no packet is sent"],
              "scenario": { "name": "small", "seed": 7, "fidelity": "calibrated", "devices": 24, "duration": 3600,
                "warmUp": 600, "warmUpMethod": "fixed", "drain": 30, "failurePolicy": "fail open",
                "architecture": "urlFilter", "varied": ["the loads"], "heldFixed": ["the list"],
                "settings": [{ "path": "seed", "value": "7", "isDerived": false },
                  { "path": "drain", "value": "30s", "defaultSource": "assumption", "isDerived": false }] },
              "blocklist": { "file": "list.txt", "format": "plain", "entries": 1999, "duplicates": 0,
                "dropped": 0, "changed": 0,
                "keys": "normalized", "hasTestEntry": false, "unmatchable": [{ "rules": "iOS26", "entries": 1999, "count": 0, "groups": [] }] },
              "traces": [],
              "filter": { "bitCount": 28741, "hashCount": 10, "murmurSeed": 1, "byteCount": 3593,
                "fillRatio": 0.5, "predictedStringRate": 0.001, "probes": 4194304,
                "countedStringRate": { "low": 0.00095, "high": 0.00101, "confidence": 0.95, "method": "x" } },
              "profile": { "machine": "none", "rlweParameters": "n_4096", "shards": 4, "entriesPerShard": 500,
                "responseSeconds": 0.001, "requestBytes": 29003, "responseBytes": 24664,
                "evaluationKeyBytes": 986880, "databaseBytes": 400000000,
                "server": { "name": "urlfilter serve", "version": "1" } },
              "points": [] }
            """
        var result = try RunResult.decode(Data(json.utf8))
        result.points = points
        return result
    }

    static func manifest() throws -> RunManifest {
        let json = """
            { "schema": "urlfilter.manifest/1", "version": "1", "arguments": ["/bin/urlfilter", "run", "a b.yaml"],
              "host": "none", "threads": 1, "started": "2026-11-21", "wallSeconds": 1, "cpuSeconds": 1,
              "peakMemoryBytes": 1, "inputs": { "list.txt": "00" } }
            """
        return try JSONDecoder().decode(RunManifest.self, from: Data(json.utf8))
    }
}
