import Timing
import URLFilter

/// Work of a device with each URL, and work to make the prefilter it does it with.
///
/// Baselines are the straightforward implementation: each lookup string is put together and tested by itself;
/// each entry is inserted by itself.
enum FilterBenchmarks: BenchmarkSuite {
    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws {
        try urls(selection, &report)
        try build(selection, &report)
        try files(selection, &report)
    }

    /// URLs between a third-party script and an analytics beacon; the number makes each one different.
    private static let examples: [(name: String, url: @Sendable (Int) -> String)] = [
        ("short", { "https://news\($0).example/" }),
        // 40 strings under the documented rules: 2 domains, with and without port, 10 endings each.
        ("forty", { "https://www.cdn.site\($0).example/a/b/c?id=\($0)" }),
        (
            "medium",
            { "https://static.cdn.site\($0).example/assets/js/2026/application.min.js?v=20261121&lang=en" }
        ),
        (
            "long",
            {
                "https://collect.analytics.site\($0).example/v2/page/event/collect?sid=8f1d0f9e6b7c4a6c"
                    + "&uid=31415926535897932384626433832795&ref=https%3A%2F%2Fwww.newspaper.example%2Fworld"
                    + "%2F2026%2F11%2F21%2Fsomething&ts=1763728800123&screen=1170x2532&lang=de-DE&n=\($0)"
            }
        ),
    ]

    private static let rules: [(name: String, rules: MatchingRules)] = [
        ("documented", .documented), ("ios26", .iOS26),
    ]

    /// Targets are for filters that do not fit into the second-level cache.
    private static func urls(_ selection: Selection, _ report: inout BenchmarkReport) throws {
        let names = rules.flatMap { rules in
            examples.flatMap {
                ["filter.expand.\(rules.name).\($0.name)", "filter.test.\(rules.name).\($0.name)"]
            }
        }
        guard names.contains(where: selection.includes) else { return }
        let entryCount = selection.quick ? 10_000 : 14_000_000
        let filter = try prefilter(entryCount: entryCount)
        for (rulesName, rules) in rules {
            for (name, url) in examples {
                let urls = (0..<4096).map { Array(url(10_000 + $0).utf8) }
                let subject = "\(rulesName).\(name)"
                try expand(urls, rules, "filter.expand.\(subject)", selection, &report)
                try test(urls, rules, filter, "filter.test.\(subject)", selection, &report)
            }
        }
    }

    private static func expand(
        _ urls: [[UInt8]], _ rules: MatchingRules, _ name: String, _ selection: Selection,
        _ report: inout BenchmarkReport
    ) throws {
        guard selection.includes(name) else { return }
        var buffer = LookupStringBuffer()
        let cost = try Timing.measure(name, operations: urls.count) {
            for url in urls { try buffer.expand(url, rules: rules) }
        }
        report.add(cost, unit: "us")
    }

    private static func test(
        _ urls: [[UInt8]], _ rules: MatchingRules, _ filter: BloomFilter, _ name: String,
        _ selection: Selection, _ report: inout BenchmarkReport
    ) throws {
        guard selection.includes(name) else { return }
        var buffer = LookupStringBuffer()
        var hits: [Int] = []
        var hitCount = 0
        for url in urls {
            try buffer.expand(url, rules: rules)
            hits.removeAll(keepingCapacity: true)
            buffer.appendHits(of: filter, to: &hits)
            guard hits == oneByOne(buffer, filter) else {
                throw WrongResult(description: "\(name): other hits than string by string")
            }
            hitCount += hits.count
        }
        let cost = try Timing.measure(name, operations: urls.count) {
            for url in urls {
                try buffer.expand(url, rules: rules)
                hits.removeAll(keepingCapacity: true)
                buffer.appendHits(of: filter, to: &hits)
            }
        }
        let baseline = try Timing.measure("string by string", operations: urls.count) {
            for url in urls {
                try buffer.expand(url, rules: rules)
                hits = oneByOne(buffer, filter)
            }
        }
        let target = name == "filter.test.documented.forty" && !selection.quick ? 1.5 : nil
        report.add(cost, baseline: baseline, unit: "us", target: target)

        var batch = URLBatch(murmurSeed: filter.parameters.murmurSeed)
        var batchHits = 0
        let inBatches = try Timing.measure(
            name.replacing("filter.test", with: "filter.batch"), operations: urls.count
        ) {
            batchHits = 0
            for start in stride(from: 0, to: urls.count, by: urlsPerBatch) {
                batch.removeAll()
                for url in urls[start..<min(start + urlsPerBatch, urls.count)] {
                    try buffer.expand(url, rules: rules)
                    batch.append(buffer)
                }
                batch.forEachHit(of: filter) { _, _ in batchHits += 1 }
            }
        }
        guard batchHits == hitCount else {
            throw WrongResult(description: "\(name): \(batchHits) hits in batches, \(hitCount) singly")
        }
        report.add(inBatches, baseline: baseline, unit: "us", target: target)
    }

    private static let urlsPerBatch = 64

    private static func oneByOne(_ buffer: LookupStringBuffer, _ filter: BloomFilter) -> [Int] {
        (0..<buffer.count).filter { buffer.withString(at: $0, filter.mayContain) }
    }

    private static func build(_ selection: Selection, _ report: inout BenchmarkReport) throws {
        for (name, entryCount, target) in [
            ("1e6", 1_000_000, nil), ("1e7", 10_000_000, 2.0),
        ] as [(String, Int, Double?)] {
            guard selection.includes("filter.build.\(name)") else { continue }
            let entryCount = selection.quick ? 10_000 : entryCount
            let entries = entries(count: entryCount)
            let parameters = try BloomParameters(
                entryCount: entryCount, falsePositiveTolerance: 0.001, murmurSeed: 77)
            var built = BloomFilter(parameters: parameters)
            func key(_ index: Int) -> KeyDigest {
                KeyDigest(entries[index * entryLength..<(index + 1) * entryLength], murmurSeed: 77)
            }
            let cost = Timing.measure("filter.build.\(name)", repetitions: 3) {
                built = BloomFilter(parameters: parameters)
                built.insert(count: entryCount, key)
            }
            var single = BloomFilter(parameters: parameters)
            let baseline = Timing.measure("one by one", repetitions: 3) {
                single = BloomFilter(parameters: parameters)
                for index in 0..<entryCount { single.insert(key(index)) }
            }
            guard built == single else { throw WrongResult(description: "filter.build.\(name): other bits") }
            report.add(cost, baseline: baseline, unit: "s", target: selection.quick ? nil : target)
        }
    }

    private static func files(_ selection: Selection, _ report: inout BenchmarkReport) throws {
        guard ["filter.plist.write", "filter.plist.read"].contains(where: selection.includes) else { return }
        let entryCount = selection.quick ? 10_000 : 10_000_000
        let file = try PrefilterFile(
            filter: prefilter(entryCount: entryCount), itemCount: entryCount, falsePositiveTolerance: 0.001)
        let data = file.propertyList()
        guard try PrefilterFile(propertyList: data) == file else {
            throw WrongResult(description: "filter.plist: another filter was read than written")
        }
        let write = Timing.measure("filter.plist.write", repetitions: 3) { _ = file.propertyList() }
        if selection.includes("filter.plist.write") { report.add(write, unit: "ms") }
        if selection.includes("filter.plist.read") {
            let cost = try Timing.measure("filter.plist.read", repetitions: 3) {
                _ = try PrefilterFile(propertyList: data)
            }
            report.add(
                cost, baseline: write, unit: "ms", target: selection.quick ? nil : 3 * write.median * 1e-6)
        }
    }

    /// A filter as full as one of so many entries.
    private static func prefilter(entryCount: Int) throws -> BloomFilter {
        var filter = BloomFilter(
            parameters: try BloomParameters(
                entryCount: entryCount, falsePositiveTolerance: 0.001, murmurSeed: 77))
        var state: UInt64 = 0
        filter.insert(count: entryCount) { _ in
            state &+= 0x9E37_79B9_7F4A_7C15
            let mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            return KeyDigest(
                start: UInt32(truncatingIfNeeded: mixed >> 32),
                step: UInt32(truncatingIfNeeded: (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB >> 32))
        }
        return filter
    }

    /// Bytes of each entry, about the mean of published host lists.
    private static let entryLength = 20

    /// All entries in one stretch.
    private static func entries(count: Int) -> [UInt8] {
        var bytes = [UInt8]()
        bytes.reserveCapacity(count * entryLength)
        for index in 0..<count {
            let number = String(index, radix: 36)
            bytes.append(contentsOf: "h\(number).".utf8)
            bytes.append(
                contentsOf: repeatElement(UInt8(ascii: "x"), count: entryLength - 2 - number.utf8.count))
        }
        return bytes
    }
}
