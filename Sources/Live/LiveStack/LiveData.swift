package import Parties
import PrivacyPass
package import PrivateInformationRetrieval

/// Data that an operator may change while the servers run.
package struct LiveData: Sendable {
    /// A usecase, and how many versions of it stay available.
    package struct Version: Sendable {
        package let usecase: PIRUsecase
        package let versionCount: Int

        package init(_ usecase: PIRUsecase, versionCount: Int = 2) {
            self.usecase = usecase
            self.versionCount = versionCount
        }
    }

    package let versions: [Version]
    package let users: IssuerParty.Users
    /// Directory to which reports of blocked URLs are written; nil drops them.
    package let reportDirectory: String?

    package init(versions: [Version], users: IssuerParty.Users, reportDirectory: String? = nil) {
        self.versions = versions
        self.users = users
        self.reportDirectory = reportDirectory
    }

    /// Loads the shards that Apple's server would serve with this configuration.
    ///
    /// - Parameter withDatabase: False leaves the usecases away, for an issuer.
    package init(_ configuration: ServiceConfiguration, withDatabase: Bool = true) throws {
        let users = configuration.users.map { (tier: UserTier($0.tier), tokens: $0.tokens) }
        let usecases = withDatabase ? configuration.usecases.filter { $0.versionCount > 0 } : []
        self.init(
            versions: try usecases.map { Version(try $0.load(), versionCount: $0.versionCount) },
            users: .listed(try UserTokenTable(users)), reportDirectory: configuration.reportDirectory)
    }

    /// A block list, processed in memory. Every bearer of any user token gets tokens.
    ///
    /// The same list, settings and seed give the same configuration, so that devices keep theirs over a restart.
    ///
    /// - Parameter entries: Distinct keys.
    package init(
        list entries: some Sequence<ArraySlice<UInt8>>, usecase name: String, rlweParameters: String,
        shardCount: Int?, seed: UInt64
    ) throws {
        let usecase = try PIRDatabase.usecase(
            named: name, entries: entries, rlweParameters: rlweParameters, shardCount: shardCount, seed: seed)
        self.init(versions: [Version(usecase)], users: Self.anyone)
    }

    /// Data of a process without a PIR server. An issuer that starts with it knows no users.
    package static let withoutDatabase = LiveData(versions: [], users: anyone)

    private static let anyone = IssuerParty.Users.anyone(UserTier("tier1"))
}
