extension Double {
    /// Bytes of a gigabyte, which is the unit of all prices.
    package static let gigabyte = 1e9

    /// Gigabytes of so many bytes.
    package init(gigabytesOf bytes: Double) { self = bytes * 1e-9 }
}
