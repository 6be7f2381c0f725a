import Experiment
import FleetModel
import Foundation
import RunMetrics
import Testing

/// The JSON document `urlfilter.result/2`: every key, its kind, and what must hold between them.
@Suite struct ResultDocumentTests {
    @Test func theDocumentHasItsShape() async throws {
        let small = try SmallScenario.calibrated(
            """
            replications: { min: 3, max: 3, precision: 1% }
            objectives: [lookup.latency p99 < 1ms, url.leaked count == 0]
            faults: [{ kind: outage, service: pir, at: 20s, for: 20s }]
            updates: { every: 1d, first: 15s, add: 1, changesConfiguration: false }
            """)
        let preparation = try small.prepare()
        let result = try await Runner.run(preparation, threads: 2).result
        let json = try JSONSerialization.jsonObject(with: try result.json())
        #expect(DocumentShape.result.problems(in: json, at: "$") == [])

        let point = try #require((json as? [String: Any])?["points"] as? [[String: Any]]).first
        let metrics = try #require(point?["metrics"] as? [[String: Any]])
        let units = Dictionary(uniqueKeysWithValues: Metric.all.map { ($0.words, $0.unit.rawValue) })
        for metric in metrics {
            let name = "\(metric["name"] ?? "") \(metric["statistic"] ?? "")"
            #expect(metric["unit"] as? String == units[name], "\(name)")
            #expect((metric["perReplication"] as? [Any])?.count == 3, "\(name)")
            let value = try #require(metric["value"] as? Double)
            if let interval = metric["interval"] as? [String: Any] {
                let low = try #require(interval["low"] as? Double)
                let high = try #require(interval["high"] as? Double)
                #expect((low...high).contains(value), "\(name)")
            }
            if metric["unit"] as? String == "1" { #expect((0...1).contains(value), "\(name)") }
        }
        let counts = try #require(result.points.first?.counts)
        #expect(counts.urlsChecked == counts.verdicts.values.reduce(0, +) + counts.unfinished)
        #expect(counts.verdicts["allowedByPolicy"] == counts.policyCauses.values.reduce(0, +))
        #expect((counts.verdicts["allowedByPolicy"] ?? 0) > 0)
        #expect(result.points[0].fingerprints.count == 3)
    }

    @Test func anInterruptedRunIsADocumentToo() throws {
        let preparation = try SmallScenario.calibrated().prepare()
        let result = ResultBuilder(preparation, warmUp: preparation.givenWarmUp, records: []).result(
            finished: false)
        let json = try JSONSerialization.jsonObject(with: try result.json())
        #expect(DocumentShape.result.problems(in: json, at: "$") == [])
    }
}

/// What a JSON value must look like; unknown keys are problems too.
private indirect enum DocumentShape: Sendable {
    case text, number, flag
    case object([String: DocumentShape], optional: [String: DocumentShape] = [:])
    case list(DocumentShape)
    case map(DocumentShape)
    case nullable(DocumentShape)

    func problems(in value: Any, at path: String) -> [String] {
        switch self {
        case .text: return value is String ? [] : ["\(path): not a text"]
        case .number: return value is NSNumber && !(value is String) ? [] : ["\(path): not a number"]
        case .flag: return value is Bool ? [] : ["\(path): not true or false"]
        case .nullable(let shape): return value is NSNull ? [] : shape.problems(in: value, at: path)
        case .list(let shape):
            guard let list = value as? [Any] else { return ["\(path): not a list"] }
            return list.enumerated().flatMap { shape.problems(in: $1, at: "\(path)[\($0)]") }
        case .map(let shape):
            guard let map = value as? [String: Any] else { return ["\(path): not an object"] }
            return map.flatMap { shape.problems(in: $1, at: "\(path).\($0)") }
        case .object(let required, let optional):
            guard let object = value as? [String: Any] else { return ["\(path): not an object"] }
            var problems = required.keys.filter { object[$0] == nil }.map { "\(path).\($0): missing" }
            for (key, value) in object {
                guard let shape = required[key] ?? optional[key] else {
                    problems.append("\(path).\(key): not documented")
                    continue
                }
                problems += shape.problems(in: value, at: "\(path).\(key)")
            }
            return problems
        }
    }

    static let interval = object(["low": .number, "high": .number, "confidence": .number, "method": .text])

    static let result = object(
        [
            "schema": .text, "finished": .flag, "modelled": .list(.text),
            "scenario": .object([
                "name": .text, "seed": .number, "architecture": .text, "fidelity": .text, "devices": .number,
                "duration": .number,
                "warmUp": .number, "warmUpMethod": .text, "drain": .number, "failurePolicy": .text,
                "varied": .list(.text), "heldFixed": .list(.text),
                "settings": .list(
                    .object(
                        ["path": .text, "value": .text, "isDerived": .flag],
                        optional: ["defaultSource": .text, "isOpen": .flag])),
            ]),
            "blocklist": .object([
                "file": .text, "format": .text, "entries": .number, "duplicates": .number, "dropped": .number,
                "changed": .number, "hasTestEntry": .flag, "keys": .text,
                "unmatchable": .list(
                    .object([
                        "rules": .text, "entries": .number, "count": .number,
                        "groups": .list(
                            .object(["cause": .text, "count": .number, "examples": .list(.text)])),
                    ])),
            ]),
            "traces": .list(
                .object([
                    "file": .text, "format": .text, "records": .number, "dropped": .number,
                    "clients": .number, "seconds": .number, "hasOneHost": .flag, "hoursOfDay": .number,
                ])),
            "filter": .object([
                "bitCount": .number, "hashCount": .number, "murmurSeed": .number, "byteCount": .number,
                "fillRatio": .number, "predictedStringRate": .number, "countedStringRate": interval,
                "probes": .number,
            ]),
            "points": .list(point),
        ],
        optional: [
            "profile": .object(
                [
                    "machine": .text, "rlweParameters": .text, "shards": .number, "entriesPerShard": .number,
                    "responseSeconds": .number, "requestBytes": .number, "responseBytes": .number,
                    "evaluationKeyBytes": .number, "databaseBytes": .number,
                    "server": .object(
                        ["name": .text, "version": .text],
                        optional: [
                            "obtained": .text,
                            "lookupRatio": .object(
                                ["value": .number], optional: ["low": .number, "high": .number]),
                        ]),
                ], optional: ["speed": speed])
        ])

    private static let speed = object([
        "spread": .number, "time": .number, "daily": .number, "calibrations": .number, "days": .number,
        "measuredShare": .number, "keptRuns": .number,
    ])

    private static let freshnessCurves = list(
        .object([
            "stage": .text, "meaning": .text,
            "points": .list(
                .object(
                    ["seconds": .number, "share": .number],
                    optional: ["interval": interval, "predicted": .number])),
        ]))

    private static let freshnessExposure = DocumentShape.object(
        ["perDay": .number], optional: ["interval": interval, "predicted": .number])

    static let point = object(
        [
            "settings": .map(.text), "replications": .number, "fingerprints": .list(.text), "events": .number,
            "metrics": .list(
                .object(
                    [
                        "name": .text, "statistic": .text, "unit": .text, "better": .text, "value": .number,
                        "perReplication": .list(.nullable(.number)), "method": .text, "samples": .number,
                    ],
                    optional: [
                        "interval": interval, "next": interval, "varianceReduction": .number,
                        "pooled": .number, "otherSeeds": interval, "cut": .number,
                        "unseen": .object(["replications": .number, "affectedBelow": .number]),
                        "extrapolatedFrom": .number,
                        "perThousandDeviceDays": .object(
                            ["value": .number],
                            optional: ["low": .number, "high": .number, "extrapolatedFrom": .number]),
                    ])),
            "thinTails": .list(
                .object([
                    "name": .text, "statistic": .text, "unit": .text, "atLeast": .number,
                    "observations": .number, "needed": .number,
                ])),
            "controls": .list(
                .object(["name": .text, "expectation": .number, "perReplication": .list(.number)])),
            "identities": .list(
                .object(["name": .text, "formula": .text, "checks": .number, "violations": .number])),
            "counts": .object([
                "urlsChecked": .number, "urlsUnparseable": .number, "stringsTested": .number,
                "urlsHit": .number,
                "urlsListed": .number, "verdicts": .map(.number), "answeredByCache": .number,
                "policyCauses": .map(.number), "leaked": .number, "falselyBlocked": .number,
                "unfinished": .number,
                "lookupsSent": .number, "lookupsAnswered": .number, "lookupsAnsweredLate": .number,
                "lookupsCoalesced": .number, "lookupsUnfinished": .number, "lookupFailures": .map(.number),
                "realLookupsChecked": .number,
                "realLookupDisagreements": .number,
            ]),
            "analytic": .list(
                .object(
                    [
                        "name": .text, "formula": .text, "unit": .text, "predicted": .number,
                        "simulated": .number,
                    ], optional: ["interval": interval])),
            "objectives": .list(
                .object(
                    [
                        "expression": .text, "metric": .text, "statistic": .text, "unit": .text,
                        "limit": .number,
                        "passed": .flag, "verdict": .text,
                    ],
                    optional: [
                        "observed": .number, "interval": interval, "moreReplications": .number,
                        "cut": .number,
                    ])),
            "warnings": .list(.object(["code": .text, "message": .text])),
            "recoveries": .list(
                .object(
                    [
                        "fault": .text, "begin": .number, "end": .number, "failureShare": .number,
                        "windowSeconds": .number, "value": .number, "perReplication": .list(.number),
                        "censored": .number,
                    ], optional: ["interval": interval])),
            "latencyCurve": .object(
                [
                    "shares": .list(.number), "values": .list(.number), "confidence": .number,
                    "samples": .number,
                ], optional: ["low": .list(.number), "high": .list(.number)]),
            "series": .object([
                "interval": .number,
                "columns": .list(
                    .object(
                        ["name": .text, "unit": .text, "values": .list(.nullable(.number))],
                        optional: ["low": .list(.nullable(.number)), "high": .list(.nullable(.number))])),
            ]),
        ],
        optional: [
            "disclosures": .list(.object(["datum": .text, "counts": .map(.number)])),
            "privacy": .object([
                "shards": .number,
                "lines": .list(
                    .object([
                        "organisation": .text, "parties": .list(.text), "occasions": .list(.text),
                        "data": .list(.text), "groups": .list(.text), "settings": .list(.text),
                        "isOutside": .flag,
                    ])),
                "abilities": .list(
                    .object([
                        "organisation": .text, "kind": .text, "groups": .list(.text),
                        "settings": .list(.text),
                    ])),
            ]),
            "harms": .list(
                .object([
                    "harm": .text,
                    "causes": .list(
                        .object(
                            ["cause": .text, "count": .number, "share": .number],
                            optional: [
                                "failure": .text, "perThousandDeviceDays": .number, "setting": .text,
                                "remedy": .object([
                                    "value": .text, "leaves": .number, "cost": .text, "amount": .number,
                                ]),
                            ])),
                ])),
            "busiestSecond": .object(
                [
                    "replication": .number, "time": .number, "requests": .number,
                    "endpoints": .map(.number), "largestBatch": .number, "cause": .text,
                ], optional: ["fault": .text, "setting": .text]),
            "freshness": .object(
                [
                    "published": .number, "devices": .number, "added": freshnessCurves,
                    "removed": freshnessCurves,
                ],
                optional: [
                    "exposed": freshnessExposure, "overblocked": freshnessExposure,
                    "repairs": .list(
                        .object(["meaning": .text], optional: ["mean": .number, "late": .number])),
                ]),
        ])
}
