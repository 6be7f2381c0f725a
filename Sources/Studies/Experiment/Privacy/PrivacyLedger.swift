package import FleetModel
package import RunMetrics
import URLFilter

/// Who reads what, when, of devices with Apple's URL filter, and which settings of the scenario make it so.
///
/// It follows from the endpoints that the scenario's devices ask, from what stands in each request
/// (``URLFilter/Endpoint/readable(withKey:)``), and from who runs the parties. Nothing in it is counted: a run of a day
/// need not have a message that comes once a week. How often each comes, the metrics of the run say.
package struct PrivacyLedger: Codable, Equatable, Sendable {
    /// Makes a party read something.
    package enum Occasion: String, CaseIterable, Codable, Sendable {
        /// A page, or anything else of the web, is loaded: with and without the filter.
        case pageLoad
        case prefilterFetch, tokenOrder, configuration, keyUpload, lookup, report
        /// A device is given the filter, and its user token.
        case enrolment
        /// A device keeps what it was told.
        case storage
    }

    package struct Line: Codable, Equatable, Sendable {
        package var organisation: String
        /// Those of the organisation that read the same on the same occasions.
        package var parties: [Part]
        package var occasions: [Occasion]
        /// Kinds, in the order of `Datum`.
        package var data: [Datum]
        /// Names of the device groups that it is about; empty for all.
        package var groups: [String]
        /// Paths of what makes, changes or stops it; empty where no setting does.
        package var settings: [String]
        /// The same would be read without the filter.
        package var isOutside: Bool
    }

    /// Something that an organisation can do with all that its parties read.
    package struct Ability: Codable, Equatable, Sendable {
        package enum Kind: String, CaseIterable, Codable, Sendable {
            /// It reads the clear text of what was blocked.
            case readsBlocked
            /// It sees a message leave the device and arrive at a server, and so could tell by the time whose it is.
            case seesBothEnds
            /// The same of reports: whose device has blocked what.
            case tellsWhoseReport
            /// It knows whose device has which address, or user token.
            case knowsPeople
            /// It counts the tokens that each device orders.
            case countsOrders
            /// It tells devices apart, and counts the questions of each.
            case countsQuestions
            /// It learns in which part of the list a question is.
            case narrowsQuestions
            /// It knows the addresses at which the filter is used.
            case knowsAddresses
            /// It reads the names of the sites that are visited.
            case readsSites
        }

        package var organisation: String
        package var kind: Kind
        /// Names of the device groups that it is about; empty for all.
        package var groups: [String]
        /// Paths of what would end it.
        package var settings: [String]
    }

    package var lines: [Line]
    package var abilities: [Ability]
    /// Parts of the database, of which a question names one.
    package var shards: Int

    /// Names, in the order of the lines.
    package var organisations: [String] { lines.map(\.organisation).uniqued() }

    /// All that an organisation runs, in the order of the lines.
    package func parties(of organisation: String) -> [Part] {
        lines.filter { $0.organisation == organisation }.flatMap(\.parties).uniqued()
    }

    package func abilities(_ kind: Ability.Kind) -> [Ability] { abilities.filter { $0.kind == kind } }

    /// Organisations that read the clear text of what was visited, or of what was blocked, because of the filter.
    package var readers: [String] {
        lines.filter { !$0.isOutside && $0.occasions != [.storage] && !$0.data.allSatisfy(\.isHidden) }
            .map(\.organisation).uniqued()
    }
}

extension Datum {
    /// It does not say what was visited.
    fileprivate var isHidden: Bool { ![.host, .url, .blockedEntry, .cachedAnswer].contains(self) }
}

extension Part {
    package static let device = Part("device")
    /// The access network of a device.
    package static let network = Part("network")
    package static let management = Part("management")
    package static let site = Part("site")
}

extension PrivacyLedger.Occasion {
    /// How often it is; `nil` for what the run does not count.
    package var metric: Metric? {
        func requests(_ endpoint: Endpoint) -> Metric? {
            Metric.endpoints.first { $0.endpoint == endpoint }?.requests
        }
        return switch self {
        case .pageLoad: .checked
        case .prefilterFetch: .prefilterDownloads
        case .tokenOrder: requests(.issue)
        case .configuration: requests(.config)
        case .keyUpload: requests(.key)
        case .lookup: requests(.queries)
        case .report: requests(.report)
        case .enrolment, .storage: nil
        }
    }
}
