import Decoding
import DeviceFleet
import Experiment
import Foundation
import Questions
import Report
import Testing

/// Results of earlier runs, from whoever wrote them, as `urlfilter report` and `compare` read them.
@Suite struct ResultFuzzTests {
    /// What a run of `Scenarios/quickstart.yaml` wrote, shortened.
    private static let summary = """
        {"blocklist": {"changed": 1, "dropped": 0, "duplicates": 1, "entries": 1999, "file": "list.txt",
        "format": "one entry per line", "hasTestEntry": true, "keys": "normalized",
        "unmatchable": [{"count": 0, "entries": 1999, "groups": [], "rules": "iOS26"}]}, "filter": {"bitCount": 28741,
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
        "thinTails": [], "warnings": []}], "scenario": {"architecture": "urlFilter",
        "heldFixed": ["the block list"], "varied": ["the loads"], "devices": 24, "drain": 30, "duration": 597.6,
        "failurePolicy": "fail open", "fidelity": "real", "name": "quickstart", "seed": 20261121,
        "settings": [{"isDerived": false, "path": "name", "value": "quickstart"}], "warmUp": 0,
        "warmUpMethod": "fixed by the scenario"}, "schema": "urlfilter.result/2", "traces": [{"clients": 24,
        "dropped": 0, "file": "trace.csv", "format": "table separated by ','", "records": 4385,
        "hasOneHost": false, "hoursOfDay": 1, "seconds": 597.6}]}
        """

    private static let words = [
        "{", "}", "[", "]", "null", "-", "1e308", "-1e308", "1e-320", "\"\"", "\\u0000", "</svg>",
        "\"unit\":",
    ]

    @Test func summary() throws {
        try Fuzzer("result summary", texts: [Self.summary], words: Self.words).run { bytes in
            let result = try RunResult.decode(Data(bytes))
            #expect(!Document(result).text(.full).isEmpty && !ResultCSV.render(result).isEmpty)
            #expect(ReportPage.render(result, manifest: nil).hasSuffix("</html>\n"))
            for point in result.points { _ = try? ObservedTraffic(result, point) }
            let again = try RunResult.decode(result.json())
            #expect(again == result)
        }
    }

    /// What `alternatives --output` wrote, shortened.
    private static let alternatives = """
        {"blocklist": {"changed": 1, "dropped": 0, "duplicates": 1, "entries": 1999, "file": \
        "blocklist.txt", "format": "one entry per line", "hasTestEntry": true, "keys": "normalized", \
        "unmatchable": [{"count": 0, "entries": 1999, "groups": [], "rules": "iOS26"}, {"count": 0, \
        "entries": 1999, "groups": [], "rules": "iOS27"}]}, "choice": {"have": ["supervised", "mdm"], \
        "leftOut": [{"architecture": "urlFilter", "missing": ["app", "approval"]}], "recommended": \
        "dnsFilter"}, "prices": {"brokenPage": 0, "currency": "USD", "exposedVisit": 0, "rates": \
        {"coreHour": 0.0316, "downloadGigabyte": 0.04, "egressGigabyte": 0.07, "ingressGigabyte": 0, \
        "memoryGigabyteMonth": 3.05, "storageGigabyteMonth": 0.023}, "regions": {}, "sources": {}, \
        "spareInstances": 1, "targetUtilization": 0.6, "waitedSecond": 0}, "rows": [{"architecture": \
        "urlFilter", "cost": {"rows": [{"amount": 2880, "item": "cores", "price": 0.0316, "service": \
        "servers"}]}, "delay": {"toAllow": {"mean": 9900.0, "p95": 20190.0}, "toBlock": {"mean": 44100.0, \
        "p95": 82080}}, "differences": [], "facts": {"asksServers": true, "blockPage": {"source": \
        "apple/pir-service-example, Onboarding.md", "value": "absent"}, "browsers": {"source": \
        "apple/pir-service-example, Onboarding.md", "value": "asking"}, "isEverywhere": {"source": "inferred \
        from the mechanism", "value": true}, "isYardstick": false, "name": "URL filter", "needs": {"source": \
        "apple/pir-service-example, Onboarding.md", "value": [["app", "approval"]]}, "remark": "iOS 26", \
        "runsOn": {"source": "apple/pir-service-example, Onboarding.md", "value": ["iPads", "macs"]}, \
        "sees": {"source": "apple/pir-service-example, Onboarding.md", "value": "urls"}}, "figures": \
        [{"better": "neither", "interval": {"confidence": 0.95, "high": 0.06417, "low": 0, "method": "wider \
        of Student's t over 3 replications and Clopper-Pearson over 21444 independent trials"}, "method": \
        "wider of Student's t and Clopper-Pearson", "name": "url.leaked", "perReplication": [0.003974, \
        0.03909, 0.01108], "samples": 3, "statistic": "rate", "unit": "1", "value": 0.01805}, {"better": \
        "lower", "interval": {"confidence": 0.95, "high": 0.1102, "low": 0.0965, "method": "Student's t over \
        3 replications"}, "method": "Student's t", "name": "page.added", "perReplication": [0.1037, 0.1005, \
        0.106], "samples": 3, "statistic": "p95", "unit": "s", "value": 0.1034}, {"better": "lower", \
        "interval": {"confidence": 0.95, "high": 150600000.0, "low": 50930000.0, "method": "Student's t over \
        3 replications"}, "method": "Student's t", "name": "operator.egress", "perReplication": [116231314, \
        78094350, 107958935], "samples": 3, "statistic": "perDay", "unit": "B", "value": 100761533}], \
        "finished": true, "harms": [{"causes": [{"cause": "undecided", "count": 106.3, "failure": "timeout", \
        "remedy": {"amount": 3, "cost": "wrongBlocks", "leaves": 0, "value": "true"}, "setting": \
        "filter.shouldFailClosed", "share": 1}], "harm": "leaked"}], "machines": [{"coresPerInstance": 2, \
        "instances": 2, "memoryPerInstance": 0, "service": "servers"}], "modelled": ["relay, networks and \
        queues are simulated; no packet is sent"], "moneyPerMonth": 91.22, "objectives": [{"expression": \
        "url.leaked rate < 10%", "interval": {"confidence": 0.95, "high": 0.06417, "low": 0, "method": \
        "wider of Student's t over 3 replications and Clopper-Pearson over 21444 independent trials"}, \
        "limit": 0.1, "metric": "url.leaked", "observed": 0.01805, "passed": true, "statistic": "rate", \
        "unit": "1", "verdict": "pass"}], "reads": {"gateway": ["sizeAndTime", "userToken", \
        "userIdentifier", "token", "shardIndex", "encryptedKeyword"], "issuer": ["sizeAndTime", \
        "userToken"]}, "replications": 3, "unasked": [], "verdict": "meets all", "warnings": \
        []}, {"architecture": \
        "dnsFilter", "cost": {"rows": [{"amount": 2880, "item": "cores", "price": 0.0316, "service": \
        "servers"}]}, "delay": {"toAllow": {"mean": 0, "p95": 0}, "toBlock": {"mean": 0, "p95": 0}}, \
        "differences": [{"difference": {"confidence": 0.95, "high": 0.1048, "low": 0.005746, "method": \
        "Student's t over 3 pairs"}, "metric": "url.leaked", "statistic": "rate", "unit": "1"}], "facts": \
        {"asksServers": true, "blockPage": {"source": "apple/device-management, \
        com.apple.dnsSettings.managed", "value": "absent"}, "browsers": {"source": "apple/device-management, \
        com.apple.dnsSettings.managed", "value": "system"}, "isEverywhere": {"source": "inferred from the \
        mechanism", "value": true}, "isYardstick": false, "name": "DNS filter", "needs": {"source": \
        "apple/device-management, com.apple.dnsSettings.managed", "value": [[]]}, "remark": "supervision so \
        that it stays on", "runsOn": {"source": "apple/device-management, com.apple.dnsSettings.managed", \
        "value": ["iPads", "macs"]}, "sees": {"source": "apple/device-management, \
        com.apple.dnsSettings.managed", "value": "hosts"}}, "figures": [{"better": "neither", "interval": \
        {"confidence": 0.95, "high": 0.1656, "low": 0, "method": "wider of Student's t over 3 replications \
        and Clopper-Pearson over 21444 independent trials"}, "method": "wider of Student's t and \
        Clopper-Pearson", "name": "url.leaked", "perReplication": [0.05503, 0.1161, 0.04886], "samples": 3, \
        "statistic": "rate", "unit": "1", "value": 0.07332}, {"better": "lower", "interval": {"confidence": \
        0.95, "high": 0.03736, "low": 0.03429, "method": "Student's t over 3 replications"}, "method": \
        "Student's t", "name": "page.added", "perReplication": [0.03552, 0.03542, 0.03654], "samples": 3, \
        "statistic": "p95", "unit": "s", "value": 0.03583}, {"better": "lower", "interval": {"confidence": \
        0.95, "high": 3932000.0, "low": 2169000.0, "method": "Student's t over 3 replications"}, "method": \
        "Student's t", "name": "operator.egress", "perReplication": [3332000.0, 2652000.0, 3167000.0], \
        "samples": 3, "statistic": "perDay", "unit": "B", "value": 3050000.0}], "finished": true, "harms": \
        [{"causes": [{"cause": "undecided", "count": 106.3, "failure": "timeout", "remedy": {"amount": 3, \
        "cost": "wrongBlocks", "leaves": 0, "value": "true"}, "setting": "filter.shouldFailClosed", "share": \
        1}], "harm": "leaked"}], "machines": [{"coresPerInstance": 2, "instances": 2, "memoryPerInstance": \
        0, "service": "servers"}], "modelled": ["DNS filter: every URL is decided by itself; no packet is \
        sent, and the prefilter of this output only finds the URLs that the list names"], "moneyPerMonth": \
        91.01, "objectives": [{"expression": "url.leaked rate < 10%", "interval": {"confidence": 0.95, \
        "high": 0.1656, "low": 0, "method": "wider of Student's t over 3 replications and Clopper-Pearson \
        over 21444 independent trials"}, "limit": 0.1, "metric": "url.leaked", "moreReplications": 7, \
        "observed": 0.07332, "passed": false, "statistic": "rate", "unit": "1", "verdict": "cannot tell"}], \
        "reads": {"resolver": ["clientAddress", "sizeAndTime", "host"]}, "replications": 3, "verdict": \
        "cannot tell", "unasked": [], "warnings": []}], "scenario": {"architecture": "urlFilter", "heldFixed": [], "varied": [], "devices": 40, "drain": \
        30, "duration": 86400, "failurePolicy": "fail open", "fidelity": "calibrated", "name": "school \
        alternatives", "seed": 20261123, "settings": [{"isDerived": false, "path": "name", "value": "school \
        alternatives"}], "warmUp": 0, "warmUpMethod": "fixed by the scenario"}, "schema": \
        "urlfilter.alternatives/6", "traces": []}
        """

    @Test func alternatives() throws {
        try Fuzzer("alternatives", texts: [Self.alternatives], words: Self.words).run { bytes in
            let table = try AlternativesResult.decode(Data(bytes))
            let result = try RunResult.decode(Data(Self.summary.utf8))
            let page = ReportPage.render(result, manifest: nil, alternatives: table)
            #expect(page.hasSuffix("</html>\n") && !Document(table).text(.full).isEmpty)
            #expect(try AlternativesResult.decode(Data(JSONText.render(table).utf8)) == table)
        }
    }

    /// What `replay --output` wrote, shortened.
    private static let replay = """
        {"devices": {"endpoints": [{"count": 100, "failed": 0, "latency": [{"high": 0.0129, "low":
        0.01013, "probability": 0.5, "seconds": 0.01149}], "name": "directory", "received": {"max": 628,
        "p50": 628, "p99": 628, "total": 62800}, "sent": {"max": 125, "p50": 125, "p99": 125, "total":
        12500}}], "exchanges": 1600, "failures": {}, "ready": 100, "seconds": 2.144, "wanted": 100},
        "finished": true, "points": [{"answeredByCache": 658, "answeredRate": 17.64,
        "blockedByPolicyOnly": 0, "deviceCPU": 1.495, "duration": 29.93, "endpoints": [{"count": 487,
        "failed": 0, "latency": [{"high": 0.005605, "low": 0.004955, "probability": 0.5, "seconds":
        0.005289}], "name": "issue", "received": {"max": 342, "p50": 342, "p99": 342, "total": 166554},
        "sent": {"max": 427, "p50": 427, "p99": 427, "total": 207949}}, {"count": 522, "failed": 0,
        "latency": [{"high": 0.004025, "low": 0.003623, "probability": 0.5, "seconds": 0.003771}],
        "name": "queries", "received": {"max": 49288, "p50": 24664, "p99": 49288, "total": 13219344},
        "sent": {"max": 57369, "p50": 29036, "p99": 57369, "total": 15553454}}], "errorSentences": {},
        "errors": {}, "latency": [{"high": 0.006597, "low": 0.005037, "probability": 0.5, "seconds":
        0.005831}, {"high": 0.01931, "low": 0.01399, "probability": 0.9, "seconds": 0.01719}],
        "lateness": {"high": 0.00717, "low": 0.004415, "probability": 0.99, "seconds": 0.005478},
        "leakedByPolicy": 0, "loads": 1186, "lookups": 528, "offeredRate": 39.63, "partyCPU":
        {"gateway": 0.1743, "issuer": 0.2506, "pir": 0.8955, "relay": 0}, "policyCauses": {}, "ramp": 0,
        "rate": 40, "seconds": [{"byPolicy": 0, "byServer": 20, "exchanges": 33, "failedExchanges": 0,
        "loads": 35, "local": 15, "second": 0, "slowest": 0.02508, "wrong": 0}, {"byPolicy": 0,
        "byServer": 23, "exchanges": 43, "failedExchanges": 0, "loads": 44, "local": 21, "second": 1,
        "slowest": 0.01794, "wrong": 0}, {"byPolicy": 0, "byServer": 15, "exchanges": 31,
        "failedExchanges": 0, "loads": 48, "local": 33, "second": 2, "slowest": 0.01374, "wrong": 0}],
        "serverCPU": 1.901, "verdicts": {"allowedByServer": 1186}, "warmUp": 0, "wrongExamples": [],
        "wrongVerdicts": 0}], "route": "http://127.0.0.1:8080/relay", "schema": "urlfilter.replay/1",
        "target": "http://127.0.0.1:8080", "trace": {"clients": 155, "distinctURLs": 1597274, "loads":
        100000, "misses": 3039618, "name": "day.csv", "unusable": 0}, "usecase":
        "com.example.workbench.url.filtering"}
        """

    @Test func replay() throws {
        try Fuzzer("replay result", texts: [Self.replay], words: Self.words).run { bytes in
            let result = try ReplayResult.decode(Data(bytes))
            #expect(!ReplayText.render(result).isEmpty)
            for point in result.points {
                guard let traffic = try? ObservedTraffic(result, point) else { continue }
                let sheet = DeclarationSheet(traffic, requestCap: 30_000, responseCap: nil, hosts: [])
                #expect(!SheetText.render([sheet]).isEmpty)
            }
        }
    }
}
