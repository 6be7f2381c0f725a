/// How many versions of a database are served at once: the newest, and those before it that devices may still ask for.
/// The simulated servers, whose versions are numbers in a row, hold the limit alone.
package struct VersionLimit: Hashable, Sendable {
    package let count: Int

    /// - Parameter count: 0 serves none.
    package init(_ count: Int) {
        precondition(count >= 0, "\(count) versions are served; the number must be 0 or more")
        self.count = count
    }

    /// Whether a version is served beside so many newer ones.
    package func serves(newerVersions: Int) -> Bool { newerVersions < count }
}

/// The versions of a database that are served. Who asks for another one is told that it is gone.
package struct ServedVersions<Name: Hashable & Sendable, Content: Sendable>: Sendable {
    private var versions: [(name: Name, content: Content)] = []

    package init() {}

    /// Versions that are served, the newest first.
    package var contents: [Content] { versions.map(\.content) }

    package var newest: Content? { versions.first?.content }

    package subscript(name: Name) -> Content? { versions.first { $0.name == name }?.content }

    /// Serves a version as the newest. One of the same name is replaced, and those beyond the limit are gone.
    package mutating func install(_ content: Content, as name: Name, within limit: VersionLimit) {
        versions.removeAll { $0.name == name }
        versions.insert((name, content), at: 0)
        while !versions.isEmpty, !limit.serves(newerVersions: versions.count - 1) { versions.removeLast() }
    }
}
