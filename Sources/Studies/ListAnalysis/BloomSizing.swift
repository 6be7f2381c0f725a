package import URLFilter

/// A prefilter's size, what it errs with, and what its download comes to. As JSON `urlfilter.bloom-size/1`.
package struct BloomSizing: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.bloom-size/1"

    /// Downloads of a fleet.
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
