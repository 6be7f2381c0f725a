/// Why a file cannot be read as a prefilter.
package enum PrefilterFileError: Error, Equatable {
    case unreadable(path: String)
    case tooLarge(byteCount: Int, allowed: Int)
    /// Not an XML property list with one flat dictionary.
    case notAPropertyList
    case missingKey(String)
    case wrongType(key: String, expected: String)
    case outOfRange(key: String, found: String, allowed: String)
    /// `byteCount` differs from what `bitCount` asks for, or from the length of the data.
    case inconsistent(key: String, found: Int, expected: Int)
    case shape(BloomError)
}

extension PrefilterFileError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let path): "\(path) cannot be read"
        case .tooLarge(let byteCount, let allowed):
            "the file has \(byteCount) bytes; a prefilter file has at most \(allowed)"
        case .notAPropertyList:
            "the file is not an XML property list with one dictionary; convert a binary one with "
                + "'plutil -convert xml1', and give bitCount, hashCount and murmurSeed to read raw data"
        case .missingKey(let key): "the property list has no key '\(key)'"
        case .wrongType(let key, let expected): "'\(key)' is not \(expected)"
        case .outOfRange(let key, let found, let allowed): "'\(key)' is \(found); it must be \(allowed)"
        case .inconsistent(let key, let found, let expected):
            "'\(key)' is \(found); the other keys ask for \(expected)"
        case .shape(let error): error.description
        }
    }
}
