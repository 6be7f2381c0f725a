/// Search for what a document has beside the keys and types that Apple publishes.
extension ProfileLinter {
    /// Names each key that means nothing, with the one that is probably meant, and each value of a wrong type.
    mutating func check(_ node: PropertyNode, _ schema: PropertySchema) {
        for key in node.values.keys.sorted() {
            guard let value = node[key] else { continue }
            guard let kind = schema.keys[key] else {
                if !schema.isOpen { addUnknown(key, node, schema) }
                continue
            }
            check(value, kind, node.path(key))
        }
    }

    private mutating func check(_ value: PropertyValue, _ kind: PropertySchema.Kind, _ path: String) {
        guard kind.takes(value) else {
            return add(.error, .wrongType, path, "is \(value.kind); it must be \(kind.words)")
        }
        switch (kind, value) {
        case (.dictionary(let schema), _): check(PropertyNode(value, path), schema)
        case (.array(let element), .array(let values)):
            for (number, value) in values.enumerated() { check(value, element, "\(path)[\(number)]") }
        case (.oneOf(let allowed), .string(let text)) where !allowed.contains(text):
            add(.error, .unknownValue, path, "is '\(text)'; write \(allowed.joined(separator: " or "))")
        default: break
        }
    }

    /// A misspelt key is an error: what it should have set is not set.
    private mutating func addUnknown(_ key: String, _ node: PropertyNode, _ schema: PropertySchema) {
        if Self.keysOfTheApp.contains(key) {
            return add(.warning, .ignoredKey, node.path(key), "is ignored: only the app can set it")
        }
        if let nearest = schema.nearest(to: key), node[nearest] == nil {
            let effect =
                nearest.hasSuffix("FailClosed") ? "devices fail open" : "the system's own value holds"
            add(
                .error, .unknownKey, node.path(key),
                "is no key of \(schema.name) and is ignored, so that \(effect); did you mean \(nearest)?")
        } else {
            add(.warning, .unknownKey, node.path(key), "is no key of \(schema.name) and is ignored")
        }
    }

    /// Identifiers that have to be unique within a profile.
    mutating func checkUnique(_ nodes: [PropertyNode]) {
        for key in ["PayloadUUID", "PayloadIdentifier"] {
            var first: [String: String] = [:]
            for node in nodes {
                guard let text = node.text(key)?.uppercased(), !text.isEmpty else { continue }
                if let path = first[text] {
                    add(
                        .error, .duplicate, node.path(key),
                        "is the same as \(path); each must be unique within a profile")
                } else {
                    first[text] = node.path(key)
                }
            }
        }
    }
}
