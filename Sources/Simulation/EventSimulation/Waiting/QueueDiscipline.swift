/// Order in which a service takes what waits, and who has to go when there is no room; see ``WaitingLine``.
@usableFromInline
package enum QueueDiscipline: String, CaseIterable, Codable, Hashable, Sendable {
    /// The order of arrival. The newcomer has to go.
    case firstCome
    /// Whoever has asked for little before whoever has asked for much. The entry that is due last has to go.
    case fair
}

/// Bounds of what is served in one go.
@usableFromInline
package struct GroupBounds: Hashable, Sendable {
    /// Most entries, the first one included.
    @usableFromInline
    package var count: Int
    /// Most units of work, for example questions, unless the first entry alone has more; `nil` for no limit.
    @usableFromInline
    package var units: Int?

    package init(count: Int, units: Int? = nil) {
        precondition(count >= 1, "a group has at least one entry, got \(count)")
        self.count = count
        self.units = units
    }
}
