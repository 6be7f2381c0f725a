extension Array where Element: Hashable {
    /// Each element where it stands first.
    package func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
