/// How an edition of the prefilter gets to a device that has an older one, or none.
package struct DeliverySettings: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// All bits, as they are.
        case whole
        /// The distances from one set bit to the next, where these are shorter.
        case packed
        /// The bits that differ from the edition that the device has; packed without one.
        case difference
    }

    package var kind = Kind.whole
    /// Editions back from which there is a difference to the newest one.
    package var keptDifferences = Self.usualKeptDifferences
    /// Assumption: a day of editions every three hours.
    package static let usualKeptDifferences = 8

    package init() {}
}
