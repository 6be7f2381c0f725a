import Decoding
import Foundation

/// Usecases that a PIR server serves, and to whom: the `service-config.json` of Apple's example server.
///
/// See article "PIR protocol", section "Service configuration". `issuerRequestUri` is accepted and means nothing, as
/// there.
package struct ServiceConfiguration: Hashable, Sendable {
    package struct UserGroup: Hashable, Sendable {
        package let tier: String
        /// User tokens, which are secrets.
        package let tokens: [String]
    }

    package struct Usecase: Hashable, Sendable {
        package let name: String
        /// Files are `<fileStem>-<i>.bin` and `<fileStem>-<i>.params.txtpb`.
        package let fileStem: String
        package let shardCount: Int
        /// Versions that stay available; 0 takes the usecase away.
        package let versionCount: Int

        /// Loads the processed shards.
        package func load() throws -> PIRUsecase {
            try PIRUsecase(
                name: name, databasePath: "\(fileStem)-\(ProcessConfiguration.shardPlaceholder).bin",
                parametersPath: "\(fileStem)-\(ProcessConfiguration.shardPlaceholder).params.txtpb",
                shardCount: shardCount)
        }
    }

    /// Longest file accepted, in bytes: some 20,000 user tokens.
    package static let maximumByteCount = 1 << 20
    /// Apple's server has these three.
    private static let tiers = ["tier1", "tier2", "tier3"]
    /// Most shards a device accepts (article "Device", section "Caches and keys").
    private static let shardCounts = 1...10_000
    private static let versionCounts = 0...100

    package let users: [UserGroup]
    package let usecases: [Usecase]
    /// The folder to which reports of blocked URLs are written; nil drops them.
    package let reportDirectory: String?

    /// - Returns: The configuration, and the keys that have no meaning here, as dotted paths.
    package static func read(
        json: [UInt8]
    ) throws(ProcessConfigurationError) -> (configuration: ServiceConfiguration, unknownKeys: [UnknownKey]) {
        guard json.count <= maximumByteCount else {
            throw ProcessConfigurationError(
                "", .outOfRange(found: "\(json.count) bytes long", allowed: "at most \(maximumByteCount)"))
        }
        guard let document = try? JSONReader.read(JSONValue.self, from: Data(json)),
            case .object(let members) = document
        else { throw ProcessConfigurationError("", .notJSON("its structure cannot be read")) }
        var root = JSONObjectReader(members)
        var unknownKeys: [UnknownKey] = []
        let users = try list("users", &root).map { object throws(ProcessConfigurationError) in
            var object = object
            let group = try userGroup(&object)
            unknownKeys += object.unknownKeys
            return group
        }
        let usecases = try list("usecases", &root).map { object throws(ProcessConfigurationError) in
            var object = object
            let usecase = try usecase(&object)
            unknownKeys += object.unknownKeys
            return usecase
        }
        _ = try root.string("issuerRequestUri")
        let configuration = ServiceConfiguration(
            users: users, usecases: usecases, reportDirectory: try root.string("reportDirectory"))
        return (configuration, (unknownKeys + root.unknownKeys).sorted { $0.path < $1.path })
    }

    /// Objects of a required array.
    private static func list(
        _ key: String, _ root: inout JSONObjectReader
    ) throws(ProcessConfigurationError) -> [JSONObjectReader] {
        guard let value = root.value(key) else {
            throw ProcessConfigurationError(root.path(key), .missing)
        }
        guard case .array(let elements) = value else { throw root.wrongType(key, value, "an array") }
        var readers: [JSONObjectReader] = []
        for (index, element) in elements.enumerated() {
            guard case .object(let members) = element else {
                throw root.wrongType("\(key).\(index)", element, "an object")
            }
            readers.append(JSONObjectReader(members, prefix: "\(key).\(index)."))
        }
        return readers
    }

    private static func userGroup(
        _ object: inout JSONObjectReader
    ) throws(ProcessConfigurationError) -> UserGroup {
        let tier = try object.requiredString("tier")
        guard tiers.contains(tier) else {
            throw ProcessConfigurationError(
                object.path("tier"),
                .outOfRange(found: "'\(tier)'", allowed: "one of \(tiers.joined(separator: ", "))"))
        }
        guard let value = object.value("tokens") else {
            throw ProcessConfigurationError(object.path("tokens"), .missing)
        }
        guard case .array(let elements) = value else { throw object.wrongType("tokens", value, "an array") }
        var tokens: [String] = []
        for (index, element) in elements.enumerated() {
            // What stands there instead may be a token in other clothes, so it is not shown.
            guard case .string(let token) = element else {
                throw ProcessConfigurationError(
                    object.path("tokens.\(index)"), .wrongType(found: "no string", expected: "a string"))
            }
            tokens.append(token)
        }
        return UserGroup(tier: tier, tokens: tokens)
    }

    private static func usecase(
        _ object: inout JSONObjectReader
    ) throws(ProcessConfigurationError) -> Usecase {
        if object.value("symmetricPirArguments") != nil {
            throw ProcessConfigurationError(
                object.path("symmetricPirArguments"),
                .unsupported(found: "symmetric PIR", reason: "this server does not implement it"))
        }
        return Usecase(
            name: try object.requiredString("name"), fileStem: try object.requiredString("fileStem"),
            shardCount: try number("shardCount", shardCounts, &object),
            versionCount: try number("versionCount", versionCounts, &object, default: 2))
    }

    private static func number(
        _ key: String, _ allowed: ClosedRange<Int>, _ object: inout JSONObjectReader, default: Int? = nil
    ) throws(ProcessConfigurationError) -> Int {
        guard let found = try object.integer(key) ?? `default` else {
            throw ProcessConfigurationError(object.path(key), .missing)
        }
        guard allowed.contains(found) else {
            throw ProcessConfigurationError(
                object.path(key),
                .outOfRange(found: "\(found)", allowed: "in \(allowed.lowerBound)...\(allowed.upperBound)"))
        }
        return found
    }
}
