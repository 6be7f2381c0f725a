package import Foundation
import PrivateInformationRetrieval
package import URLFilter

/// Holds a `service-config.json`, or a configuration of `pir process`, against what our server, Apple's example server
/// and devices take.
package enum ServiceConfigurationLinter {
    private static let suffix = ".url.filtering"
    /// User tokens in Apple's example.
    private static let exampleTokens: Set = ["AAAA", "BBBB", "CCCC"]

    /// - Returns: `nil` if the document is neither of the two.
    package static func lint(_ document: Data) -> [ProfileFinding]? {
        guard document.count <= ServiceConfiguration.maximumByteCount,
            let root = (try? JSONSerialization.jsonObject(with: document)) as? [String: Any]
        else { return nil }
        let isService = root["usecases"] != nil || root["users"] != nil
        guard isService || root["inputDatabase"] != nil else { return nil }
        do throws(ProcessConfigurationError) {
            let repeated = (try? ProfileDocument(document))?.repeatedKeys ?? []
            return repeated + (isService ? try service(Array(document)) : try process(Array(document)))
        } catch {
            let code: ProfileFinding.Code =
                switch error.problem {
                case .missing: .missingKey
                case .wrongType, .notJSON: .wrongType
                case .outOfRange, .unsupported: .unknownValue
                }
            return [ProfileFinding(.error, code, error.key, sentence(error))]
        }
    }

    /// Without the key, which stands before it.
    private static func sentence(_ error: ProcessConfigurationError) -> String {
        let text = "\(error)"
        let prefix = "\(error.key): "
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }

    /// A misspelt key is an error: what it should have set is not set.
    private static func ignored(_ keys: [UnknownKey]) -> [ProfileFinding] {
        keys.map {
            ProfileFinding(
                $0.meant == nil ? .warning : .error, .ignoredKey, $0.path,
                "means nothing here and is ignored\($0.advice)")
        }
    }

    private static func process(_ json: [UInt8]) throws(ProcessConfigurationError) -> [ProfileFinding] {
        ignored(try ProcessConfiguration.read(json: json).unknownKeys)
    }

    private static func service(_ json: [UInt8]) throws(ProcessConfigurationError) -> [ProfileFinding] {
        let (configuration, unknownKeys) = try ServiceConfiguration.read(json: json)
        return ignored(unknownKeys) + users(configuration) + usecases(configuration)
    }

    private static func users(_ configuration: ServiceConfiguration) -> [ProfileFinding] {
        var findings: [ProfileFinding] = []
        var known: [String: String] = [:]
        for (number, group) in configuration.users.enumerated() {
            for (place, token) in group.tokens.enumerated() {
                let path = "users.\(number).tokens.\(place)"
                // A token is a secret, so it is not shown.
                if token.isEmpty {
                    findings.append(.init(.error, .wrongType, path, "is empty; every user needs a token"))
                } else if let first = known[token] {
                    findings.append(
                        .init(.error, .duplicate, path, "is the same as \(first); give each user a token"))
                } else if exampleTokens.contains(token) {
                    findings.append(
                        .init(
                            .warning, .sharedToken, path,
                            "is a token of Apple's example, which everybody knows"))
                } else if Data(base64Encoded: token) == nil {
                    findings.append(
                        .init(
                            .warning, .tokenNotBase64, path,
                            "is not base64; device management cannot send such a token"))
                }
                known[token] = known[token] ?? path
            }
        }
        if known.isEmpty {
            findings.append(
                .init(.error, .missingKey, "users", "has no token, so that no device gets an answer"))
        }
        return findings
    }

    private static func usecases(_ configuration: ServiceConfiguration) -> [ProfileFinding] {
        var findings: [ProfileFinding] = []
        var known: [String: String] = [:]
        for (number, usecase) in configuration.usecases.enumerated() {
            let path = "usecases.\(number)"
            if !usecase.name.hasSuffix(suffix) || usecase.name.count == suffix.count {
                findings.append(
                    .init(
                        .error, .usecaseName, "\(path).name",
                        "is '\(usecase.name)'; devices ask for <bundle id of the app>\(suffix)"))
            }
            if let first = known[usecase.name] {
                findings.append(.init(.error, .duplicate, "\(path).name", "is the same as \(first)"))
            }
            known[usecase.name] = known[usecase.name] ?? "\(path).name"
            if !ShardCount.isPowerOfTwo(usecase.shardCount) {
                findings.append(
                    .init(
                        .error, .shardCount, "\(path).shardCount",
                        "is \(usecase.shardCount); devices of 27.3 take powers of two only"))
            }
            switch usecase.versionCount {
            case 0:
                findings.append(
                    .init(
                        .warning, .noFilter, "\(path).versionCount", "is 0, so that the usecase is not served"
                    ))
            case 1:
                findings.append(
                    .init(
                        .warning, .unknownValue, "\(path).versionCount",
                        "is 1: with each reload, devices with the version before are refused (410) until they fetch "
                            + "the new configuration; 2 is usual"))
            default: break
            }
        }
        if configuration.usecases.isEmpty {
            findings.append(.init(.error, .missingKey, "usecases", "is empty, so that nothing is served"))
        }
        return findings
    }
}
