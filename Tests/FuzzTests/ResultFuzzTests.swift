import Experiment
import Foundation
import Report
import Testing

/// Results of earlier runs, from whoever wrote them, as `urlfilter report` and `compare` read them.
@Suite struct ResultFuzzTests {
    /// What a run of `Scenarios/quickstart.yaml` wrote, shortened.
    private static let summary = """
        {"blocklist": {"changed": 1, "dropped": 0, "duplicates": 1, "entries": 1999, "file": "list.txt",
        "format": "one entry per line", "hasTestEntry": true}, "filter": {"bitCount": 28741,
        "byteCount": 3593, "countedStringRate": {"confidence": 0.95, "high": 0.001003, "low": 0.0009681,
        "method": "Clopper-Pearson"}, "fillRatio": 0.5001, "hashCount": 10, "murmurSeed": 624656550,
        "predictedStringRate": 0.001, "probes": 12582912}, "finished": true,
        "modelled": ["relay, networks and queues are simulated; no packet is sent"],
        "points": [{"analytic": [{"formula": "1 - (1 - p)^k with the rate p counted on the filter and k = 18.6 strings per URL",
        "interval": {"confidence": 0.95, "high": 0.01648, "low": 0.01648,
        "method": "jackknife of the ratio over 3 replications"}, "name": "url.falseHit rate",
        "predicted": 0.01819, "simulated": 0.01648, "unit": "1"}], "controls": [],
        "counts": {"answeredByCache": 24, "falselyBlocked": 0, "leaked": 1, "lookupFailures": {},
        "lookupsAnswered": 239, "lookupsAnsweredLate": 0, "lookupsCoalesced": 0, "lookupsSent": 239,
        "lookupsUnfinished": 0, "policyCauses": {"notReady": 4}, "realLookupDisagreements": 0,
        "realLookupsChecked": 242, "stringsTested": 244884, "unfinished": 0, "urlsChecked": 13152,
        "urlsHit": 264, "urlsListed": 48, "urlsUnparseable": 0, "verdicts": {"allowedByPolicy": 4,
        "allowedByPrefilter": 12885, "allowedByServer": 216, "blockedByPolicy": 0, "blockedByServer": 47}},
        "disclosures": [{"counts": {"gateway": 0, "issuer": 0, "pir": 0, "prefilterOrigin": 72,
        "relay": 1450}, "datum": "clientAddress"}, {"counts": {"gateway": 1450, "issuer": 1067, "pir": 383,
        "prefilterOrigin": 72, "relay": 1450}, "datum": "sizeAndTime"}], "events": 16247,
        "fingerprints": ["aac9ed08d2c67ff9", "dfcd1356c846bc87", "ec78eee76cb364e1"],
        "identities": [{"checks": 3, "formula": "checked = verdicts + unfinished", "name": "URL checks",
        "violations": 0}], "latencyCurve": {"confidence": 0.95, "high": [0.3, 0.301, 0.3011],
        "low": [0.2893, 0.2951, 0.2976], "samples": 239, "shares": [0.01, 0.02, 0.03], "values": [0.2946,
        0.2981, 0.2994]}, "metrics": [{"better": "lower", "interval": {"confidence": 0.95, "high": 1.768,
        "low": -1.101, "method": "Student's t over 3 replications"}, "method": "Student's t",
        "name": "url.leaked", "perReplication": [1, 0, 0], "samples": 3, "statistic": "count",
        "unit": "count", "value": 0.3333}, {"better": "lower", "interval": {"confidence": 0.95,
        "high": 0.65, "low": 0.5428, "method": "Student's t over 3 replications"}, "method": "Student's t",
        "name": "lookup.latency", "perReplication": [0.5748, 0.6179, 0.5965], "samples": 3,
        "statistic": "p99", "unit": "s", "value": 0.5964}, {"better": "lower",
        "interval": {"confidence": 0.95, "high": 0.65, "low": 0.5428,
        "method": "Student's t over 3 replications"}, "method": "Student's t", "name": "lookup.latency",
        "perReplication": [0.5748, 0.6179, 0.5965], "samples": 3, "statistic": "max", "unit": "s",
        "value": 0.5964}], "objectives": [], "recoveries": [], "replications": 3,
        "series": {"columns": [{"high": [330, 369, 314], "low": [330, 369, 314], "name": "url.checked",
        "unit": "count", "values": [330, 369, 314]}, {"high": [1.768, 0, 0], "low": [-1.101, 0, 0],
        "name": "url.leaked", "unit": "count", "values": [0.3333, 0, 0]}], "interval": 30}, "settings": {},
        "warnings": []}], "scenario": {"devices": 24, "drain": 30, "duration": 597.6,
        "failurePolicy": "fail open", "fidelity": "real", "name": "quickstart", "seed": 20261121,
        "settings": [{"isDerived": false, "path": "name", "value": "quickstart"}], "warmUp": 0,
        "warmUpMethod": "fixed by the scenario"}, "schema": "urlfilter.result/1", "traces": [{"clients": 24,
        "dropped": 0, "file": "trace.csv", "format": "table separated by ','", "records": 4385,
        "seconds": 597.6}]}
        """

    private static let words = [
        "{", "}", "[", "]", "null", "-", "1e308", "-1e308", "1e-320", "\"\"", "\\u0000", "</svg>",
        "\"unit\":",
    ]

    @Test func summary() throws {
        try Fuzzer("result summary", texts: [Self.summary], words: Self.words).run { bytes in
            let result = try RunResult.decode(Data(bytes))
            #expect(!RunText.render(result).isEmpty && !ResultCSV.render(result).isEmpty)
            #expect(ReportPage.render(result, manifest: nil).hasSuffix("</html>\n"))
            for point in result.points { _ = try? ObservedTraffic(result, point) }
            let again = try RunResult.decode(result.json())
            #expect(again == result)
        }
    }
}
