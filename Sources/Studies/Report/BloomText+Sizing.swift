package import ListAnalysis
import Wording

extension BloomText {
    package static func render(_ sizing: BloomSizing) -> String {
        var lines: [String] = []
        func row(_ label: String, _ value: String) { lines.append("  " + Format.left(label, 24) + value) }
        row("entries", Format.count(sizing.entries))
        row("bitCount", "\(sizing.bitCount)")
        row("hashCount", "\(sizing.hashCount)")
        row("data", "\(Format.count(sizing.bytes)) bytes (\(Format.bytes(Double(sizing.bytes))))")
        row("false hits per string", Format.number(sizing.falseHitRatePerString))
        if let measured = sizing.measuredRatePerString {
            row(
                "  measured",
                "\(Format.number(measured))   (filters of random entries: so small that the positions")
            row("", "of one string often coincide; the formula does not know that)")
        }
        row(
            "false hits per URL",
            "\(Format.share(sizing.falseHitRatePerURL))   (of \(sizing.stringsPerURL) lookup strings)")
        if let download = sizing.download {
            row(
                "download per day",
                "\(Format.bytes(download.bytesPerDay))   (\(Format.count(download.devices, "device")), "
                    + "\(Format.number(download.editionsPerDay)) new editions a day)")
        }
        lines.append("")
        lines.append(
            "\(Format.bytes(Double(sizing.bytes))) hold \(Format.count(sizing.entries, "entry")); one URL in "
                + "\(Format.number(1 / sizing.falseHitRatePerURL)) is looked up for nothing.")
        return lines.joined(separator: "\n") + "\n"
    }
}
