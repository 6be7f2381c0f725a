import Decoding
import Experiment
package import ListAnalysis
import Wording

/// The terminal forms of what the `bloom` commands find.
package enum BloomText {
    /// - Returns: Text that ends with a newline; at most about 80 columns but for paths.
    package static func render(_ summary: BloomBuildSummary) -> String {
        var lines: [String] = []
        func row(_ label: String, _ value: String) { lines.append("  " + Format.left(label, 24) + value) }
        let duplicates = summary.itemCount - summary.distinctCount
        lines.append("\(summary.list): \(Format.count(summary.itemCount, "entry")) (\(summary.format))")
        if duplicates > 0 {
            row("duplicates", "\(Format.count(duplicates)), counted in the size as Apple's tool does")
        }
        lines += Format.keys(summary.keys, summary.unmatchable)
        if summary.droppedCount > 0 { row("lines dropped", Format.count(summary.droppedCount)) }
        row("bitCount", "\(summary.bitCount)")
        row("hashCount", "\(summary.hashCount)")
        row(
            "murmurSeed",
            "\(summary.murmurSeed)" + (summary.seedWasDrawn ? "   (drawn; repeat with --seed)" : ""))
        row("data", "\(Format.count(summary.byteCount)) bytes")
        row("fill ratio", Format.share(summary.fillRatio))
        row(
            "false hits per string",
            "\(Format.number(summary.falseHitRatePerString))   (asked for: "
                + "\(Format.number(summary.falsePositiveTolerance)))")
        row("  of random strings", observed(summary.strayHits))
        row(
            "false hits per URL",
            "\(Format.share(summary.falseHitRatePerURL))   (of \(BloomBuildSummary.stringsPerURL) lookup strings"
                + (summary.falseHitRateIsMeasured ? ", by what random strings do)" : ")"))
        if summary.falseHitRateIsMeasured, summary.strayHits.rate > 1.1 * summary.falseHitRatePerString {
            lines.append(
                "  ! in a filter of \(summary.bitCount) bits the positions of one string often coincide, so that more"
            )
            lines.append(
                "    strings hit than the formula says; more bits help, or the best of many seeds: --best-seed"
            )
        }
        if let data = summary.data { row("base64", data) }
        if let path = summary.files.propertyList { row("property list", path) }
        if let path = summary.files.raw { row("raw data", path) }
        if let path = summary.files.pirData { row("PIR data", path) }
        return lines.joined(separator: "\n") + "\n"
    }

    package static func render(_ inspection: BloomInspection) -> String {
        var lines = [inspection.file]
        func row(_ label: String, _ value: String) { lines.append("  " + Format.left(label, 24) + value) }
        row("itemCount", Format.count(inspection.itemCount))
        row("falsePositiveTolerance", Format.number(inspection.falsePositiveTolerance))
        row("bitCount", "\(inspection.bitCount)")
        row("hashCount", "\(inspection.hashCount)")
        row("murmurSeed", "\(inspection.murmurSeed)")
        row("byteCount", "\(Format.count(inspection.byteCount))   (equals the length of the data)")
        row(
            "bits that are 1",
            "\(Format.count(inspection.setBitCount)), \(Format.share(inspection.fillRatio))   (itemCount items give "
                + "\(Format.share(inspection.expectedFillRatio)))")
        if let count = inspection.estimatedItemCount, let deviation = inspection.estimatedItemDeviation {
            row(
                "distinct items",
                "about \(Format.count(Int(saturating: count.rounded()))) ±"
                    + " \(Format.count(Int(saturating: deviation.rounded(.up))))   (from the bits)")
        } else {
            row("distinct items", "unknown, every bit is 1")
        }
        row("false hits per string", Format.number(inspection.falseHitRatePerString))
        row(
            "false hits per URL",
            "\(Format.share(inspection.falseHitRatePerURL))   (of \(BloomBuildSummary.stringsPerURL) lookup strings)"
        )
        for warning in inspection.warnings { lines.append("! \(warning.message)") }
        if inspection.warnings.isEmpty { lines.append("nothing to complain about") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// One line: the key, a tab, and `hit` or `absent`.
    package static func line(_ key: BloomCheck.Key) -> String {
        "\(key.key)\t\(key.hit ? "hit" : "absent")\n"
    }

    /// One line: the URL, the rules, `hit` or `absent`, and the strings that hit, separated by tabs.
    package static func line(_ url: BloomCheck.URLCheck) -> String {
        ([url.url, url.rules.rawValue, url.hits.isEmpty ? "absent" : "hit"] + url.hits)
            .joined(separator: "\t") + "\n"
    }

    package static func render(_ check: BloomCheck.ListCheck) -> String {
        var lines = ["\(check.file): \(Format.count(check.entries, "entry"))"]
        func row(_ label: String, _ value: String) { lines.append("  " + Format.left(label, 24) + value) }
        row("in the prefilter", Format.count(check.entries - check.missing))
        row("missing", Format.count(check.missing))
        for entry in check.firstMissing { lines.append("    \(entry)") }
        if check.missing > check.firstMissing.count {
            lines.append("    …\(Format.count(check.missing - check.firstMissing.count)) more")
        }
        let stray = check.strayHits
        row("false hits per string", "\(Format.number(stray.predictedRate))   (from the bits)")
        row("  of random strings", observed(stray))
        return lines.joined(separator: "\n") + "\n"
    }

    private static func observed(_ stray: BloomCheck.StrayHits) -> String {
        "[\(Format.number(stray.low)), \(Format.number(stray.high))] at 95 %   "
            + "(\(Format.count(stray.hits)) of \(Format.count(stray.probes)) hit)"
    }
}
