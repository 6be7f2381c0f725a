import RandomStreams

/// How inputs of a format are built: changes them so that most stay well-formed and get past the first check.
protocol Grammar {
    /// - Parameters:
    ///   - seed: A good input.
    ///   - other: Another one, or the same, to take parts from.
    /// - Returns: Nil if the seed does not have this form.
    static func varied(_ seed: [UInt8], _ other: [UInt8], _ stream: inout RandomStream) -> [UInt8]?
}

extension RandomStream {
    /// True once in `count` calls, on average.
    mutating func once(in count: Int) -> Bool { index(below: count) == 0 }

    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[index(below: choices.count)] }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
