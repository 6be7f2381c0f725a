package import URLFilter

/// A prefilter's size, what it errs with, and what its download comes to. As JSON `urlfilter.bloom-size/1`.
package struct BloomSizing: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.bloom-size/1"

    /// What a fleet downloads.
    package struct Download: Codable, Hashable, Sendable {
        package var devices: Int
        /// Each is downloaded once by each device.
        package var editionsPerDay: Double
        package var bytesPerDay: Double
    }

    package var schema = Self.schemaName
    package var entries: Int
    package var bitCount: UInt32
    package var hashCount: UInt32
    package var bytes: Int
    package var falseHitRatePerString: Double
    package var falseHitRatePerURL: Double
    /// Mean over filters of random entries; absent for lists that are so long that the formula holds.
    package var measuredRatePerString: Double?
    package var stringsPerURL: Int
    package var download: Download?

    package init(
        _ size: PrefilterSize, stringsPerURL: Int, measuredRate: Double? = nil, devices: Int? = nil,
        editionsPerDay: Double = 1
    ) {
        entries = size.entryCount
        bitCount = size.bitCount
        hashCount = size.hashCount
        bytes = size.byteCount
        falseHitRatePerString = size.falsePositiveRate
        self.stringsPerURL = stringsPerURL
        measuredRatePerString = measuredRate
        falseHitRatePerURL =
            measuredRate.map { PrefilterSize.perURL($0, stringsPerURL: stringsPerURL) }
            ?? size.falsePositiveRate(stringsPerURL: stringsPerURL)
        download = devices.map {
            Download(
                devices: $0, editionsPerDay: editionsPerDay,
                bytesPerDay: Double($0) * editionsPerDay * Double(size.byteCount))
        }
    }
}

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
