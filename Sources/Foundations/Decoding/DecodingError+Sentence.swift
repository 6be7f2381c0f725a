extension DecodingError {
    /// Fault of the document, and where in it.
    package var sentence: String {
        func place(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
        switch self {
        case .keyNotFound(let key, let context): return "\(place(context.codingPath + [key])) is missing"
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
            let path = place(context.codingPath)
            return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
        @unknown default: return "\(self)"
        }
    }
}
