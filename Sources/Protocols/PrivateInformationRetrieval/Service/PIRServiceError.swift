package import ServiceRules

/// Why a service refuses a request, as precisely as its sentence says.
package enum PIRServiceError: Error, Hashable {
    case bodyTooLarge(Int, limit: Int)
    /// More messages inside a body than any client sends.
    case tooManyParts(limit: Int)
    case tooManyUsecases(Int, limit: Int)
    case tooManyKeys(Int, limit: Int)
    case tooManyQuestions(limit: Int)
    case configurationIDCount(Int, usecaseCount: Int)
    /// Asked for by `/config`.
    case noSuchUsecase(String)
    /// Asked for by `/queries`.
    case unknownUsecase(String)
    case configurationGone(String)
    case unknownKeyConfiguration
    case evaluationKeyNotFound
    case evaluationKeyOfOtherConfiguration
    /// Whether there is a key is not known. The reason names files, which are not the client's business.
    case evaluationKeysUnreadable
    case notImplemented(String)

    /// Reason that has the status.
    package var refusal: ServiceRefusal {
        switch self {
        case .bodyTooLarge, .tooManyParts, .tooManyQuestions: .tooLarge
        case .noSuchUsecase: .notOffered
        case .configurationGone: .configurationGone
        case .notImplemented: .notImplemented
        case .evaluationKeysUnreadable: .stateUnavailable
        case .evaluationKeyNotFound: .keyMissing
        case .tooManyUsecases, .tooManyKeys, .configurationIDCount, .unknownUsecase, .unknownKeyConfiguration,
            .evaluationKeyOfOtherConfiguration:
            .requestUnusable
        }
    }

    /// HTTP status code.
    package var status: Int { refusal.status }
}

extension PIRServiceError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .bodyTooLarge(let byteCount, let limit):
            "the body has \(byteCount) bytes; at most \(limit) are allowed"
        case .tooManyParts(let limit):
            "the body has more than \(limit) messages in it"
        case .tooManyUsecases(let count, let limit):
            "usecases has \(count) entries; this service offers \(limit)"
        case .tooManyKeys(let count, let limit):
            "keys has \(count) entries; this service has \(limit) key configurations"
        case .tooManyQuestions(let limit):
            "requests has more than \(limit) entries"
        case .configurationIDCount(let count, let usecaseCount):
            "existing_config_ids has \(count) entries; it must be empty or have \(usecaseCount), one per usecase"
        case .noSuchUsecase(let name), .unknownUsecase(let name):
            "usecase '\(name.prefix(200))' is not offered here"
        case .configurationGone(let name):
            "usecase '\(name.prefix(200))' has no such configuration any more; ask for the current one"
        case .unknownKeyConfiguration:
            "metadata.identifier names no key configuration of this service; ask for the current one"
        case .evaluationKeyNotFound:
            "Evaluation key not found"
        case .evaluationKeyOfOtherConfiguration:
            "evaluation_key_metadata.identifier names a key that was made for another configuration"
        case .evaluationKeysUnreadable:
            "the server cannot read its state"
        case .notImplemented(let field):
            "\(field) is set; this service does not implement it"
        }
    }
}
