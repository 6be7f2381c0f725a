import Decoding

/// Why a processing configuration cannot be used, and which key is to blame.
package struct ProcessConfigurationError: InputFault, Hashable {
    package enum Problem: Hashable, Sendable {
        case notJSON(String)
        case missing
        case wrongType(found: String, expected: String)
        case outOfRange(found: String, allowed: String)
        case unsupported(found: String, reason: String)
    }

    /// Dotted path of the key, for example `cuckooTableArguments.slotCount`. Empty for the whole document.
    package let key: String
    package let problem: Problem

    init(_ key: String, _ problem: Problem) {
        self.key = key
        self.problem = problem
    }

    /// A setting that a value of our own refused.
    init(_ key: String, _ error: KeywordDatabaseError) {
        if case .settingOutOfRange(_, let found, let allowed) = error {
            self.init(key, .outOfRange(found: found, allowed: allowed))
        } else {
            self.init(key, .unsupported(found: "this value", reason: "\(error)"))
        }
    }
}

extension ProcessConfigurationError: CustomStringConvertible {
    package var description: String {
        let detail =
            switch problem {
            case .notJSON(let reason): "this is not a JSON object: \(reason)"
            case .missing: "the key is missing; it is required"
            case .wrongType(let found, let expected): "the value is \(found); it must be \(expected)"
            case .outOfRange(let found, let allowed): "the value is \(found); it must be \(allowed)"
            case .unsupported(let found, let reason): "\(found) cannot be used here: \(reason)"
            }
        return key.isEmpty ? detail : "\(key): \(detail)"
    }
}
