/// Measurements of one part of a program.
package protocol BenchmarkSuite {
    /// Adds the selected measurements. Throws if a measured program gives a wrong result.
    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws
}

/// Which measurements were asked for.
package struct Selection: Sendable {
    /// Beginning of the names to run; everything if empty.
    package var only: String
    /// Whether to look for crashes rather than for figures.
    package var quick: Bool

    package init(only: String, quick: Bool) {
        self.only = only
        self.quick = quick
    }

    /// Whether a measurement of this name was asked for.
    package func includes(_ name: String) -> Bool { name.hasPrefix(only) }
}

/// A measured program did not do what it is measured for.
package struct WrongResult: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
