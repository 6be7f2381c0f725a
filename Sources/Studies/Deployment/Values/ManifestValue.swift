/// A value of a manifest before it has a notation: YAML, JSON and HCL are written from the same tree.
///
///     let port: ManifestValue = ["name": "http", "port": 8080]
package indirect enum ManifestValue: Equatable, Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    case list([ManifestValue])
    /// Keys in the order in which they are written.
    case fields([Field])

    package struct Field: Equatable, Sendable {
        package var key: String
        package var value: ManifestValue

        package init(_ key: String, _ value: ManifestValue) {
            self.key = key
            self.value = value
        }
    }

    package subscript(key: String) -> ManifestValue? {
        guard case .fields(let fields) = self else { return nil }
        return fields.first { $0.key == key }?.value
    }

    /// The fields of both; of a key that both have, the value of the other one.
    func adding(_ other: ManifestValue) -> ManifestValue {
        guard case .fields(let mine) = self, case .fields(let theirs) = other else { return other }
        let kept = mine.filter { field in !theirs.contains { $0.key == field.key } }
        return .fields(kept + theirs)
    }
}

extension ManifestValue: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self = .text(value) }
}

extension ManifestValue: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int) { self = .integer(value) }
}

extension ManifestValue: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .flag(value) }
}

extension ManifestValue: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: ManifestValue...) { self = .list(elements) }
}

extension ManifestValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, ManifestValue)...) {
        self = .fields(elements.map { Field($0.0, $0.1) })
    }
}
