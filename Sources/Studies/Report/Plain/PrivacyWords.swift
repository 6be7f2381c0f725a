import Experiment
import FleetModel
import RunMetrics
import Scenarios
import Wording

/// The privacy ledger in words, the same on the screen, on pages and in letters.
struct PrivacyWords {
    let ledger: PrivacyLedger
    /// Figures that say how often something happens.
    let point: PointResult

    // MARK: - Names

    /// Name for the middle of a sentence.
    static func name(ofOrganisation name: String) -> String {
        switch name {
        case PartyOwners.usual: "the operator"
        case PartyOwners.usualNetwork: "the network's provider"
        default: name
        }
    }

    static func name(_ party: Part) -> String {
        switch party {
        case .pir: "PIR server"
        case .prefilterOrigin: "prefilter origin"
        case .resolver: "DNS resolver"
        case .management: "device management"
        case .site: "site"
        default: party.name
        }
    }

    static func name(_ datum: Datum) -> String {
        switch datum {
        case .clientAddress: "network address of the device"
        case .sizeAndTime: "size and time of the message"
        case .deviceIdentity: "identity of the device and its user"
        case .listEdition: "edition of the list that the device has"
        case .userToken: "user token"
        case .userIdentifier: "pseudonym of the device"
        case .token: "one-time token"
        case .systemVersion: "version of the system"
        case .evaluationKey: "public key of the device"
        case .shardIndex: "part of the list that is asked about"
        case .encryptedKeyword: "encrypted question"
        case .hashPrefix: "beginning of a hash"
        case .host: "name of the site"
        case .url: "whole address of the page"
        case .blockedEntry: "clear text of the entries that were blocked"
        case .cachedAnswer: "answers to its last questions"
        }
    }

    /// Words that follow "when a device".
    static func verb(_ occasion: PrivacyLedger.Occasion) -> String {
        switch occasion {
        case .pageLoad: "loads a page"
        case .prefilterFetch: "fetches the prefilter"
        case .tokenOrder: "orders tokens"
        case .configuration: "asks for the configuration"
        case .keyUpload: "uploads its key"
        case .lookup: "asks about an address"
        case .report: "reports what was blocked"
        case .enrolment: "is given the filter"
        case .storage: "keeps what it was told"
        }
    }

    // MARK: - Lines

    /// The parties of a line: `gateway and PIR server`, `network of ipads`.
    func who(_ line: PrivacyLedger.Line) -> String {
        Prose.list(line.parties.map(Self.name)) + of(line.groups)
    }

    /// The occasions of a line, with how often a single one is.
    func when(_ line: PrivacyLedger.Line) -> String {
        let verbs = line.occasions.map(Self.verb)
        let often = line.occasions.count == 1 ? line.occasions.first.flatMap(often) : nil
        return "when a device \(Prose.list(verbs))" + (often.map { " (\($0))" } ?? "")
    }

    func what(_ line: PrivacyLedger.Line) -> String { line.data.map(Self.name).joined(separator: ", ") }

    /// Rate in the unit of headlines; `nil` for what the run does not count.
    private func often(_ occasion: PrivacyLedger.Occasion) -> String? {
        occasion.metric.flatMap { point[$0] }.map { Format.rate($0) }
    }

    /// Parties of an organisation.
    func runs(_ organisation: String) -> String {
        let networks = ledger.lines.filter { $0.organisation == organisation && $0.parties == [.network] }
        return Prose.list(
            ledger.parties(of: organisation).map { party in
                "the " + Self.name(party) + (party == .network ? of(networks.first?.groups ?? []) : "")
            })
    }

    private func of(_ groups: [String]) -> String {
        groups.isEmpty ? "" : " of \(Prose.list(groups))"
    }

    // MARK: - Sentences

    /// Statements about what people fear.
    var sentences: [String] { [clearText, bothEnds] + ledger.abilities.filter { !isSaid($0) }.map(sentence) }

    /// Whether a page that is opened is told to anybody.
    var clearText: String {
        ledger.readers.isEmpty
            ? "Because of the filter nobody reads which page a device opens."
            : ledger.abilities(.readsBlocked).map(sentence).joined(separator: " ")
    }

    /// Whether anybody can tell who asks.
    var bothEnds: String {
        let seeing = ledger.abilities(.seesBothEnds)
        return seeing.isEmpty
            ? "No organisation sees both which device asks and what arrives at the servers."
            : seeing.map(sentence).joined(separator: " ")
    }

    private func isSaid(_ ability: PrivacyLedger.Ability) -> Bool {
        [.seesBothEnds, .readsBlocked].contains(ability.kind)
    }

    func sentence(_ ability: PrivacyLedger.Ability) -> String {
        let name = Self.name(ofOrganisation: ability.organisation).capitalisedFirst
        let groups = ability.groups.isEmpty ? "" : " of \(Prose.list(ability.groups))"
        let knowsPeople = ledger.abilities(.knowsPeople).contains { $0.organisation == ability.organisation }
        switch ability.kind {
        case .readsBlocked:
            return
                "\(name) reads which entries of the list devices\(groups) have blocked, in clear text: reports are on."
        case .seesBothEnds:
            return
                "\(name) sees messages leave devices\(groups) and arrive at servers: by their times it could tell"
                + " which device asks\(knowsPeople ? ", and it knows whose that is" : "")."
                + " What is asked stays encrypted."
        case .tellsWhoseReport:
            return
                "\(name) could tell in the same way which device\(groups) sent a report of what was blocked."
        case .knowsPeople:
            return "\(name) knows whose devices have the filter, and gave them their user tokens."
        case .countsOrders:
            return
                "\(name) can count how many tokens each user token orders, about as many as it has questions"
                + (knowsPeople ? ", and knows whose it is." : ".")
        case .countsQuestions:
            return "\(name) recognises a device by its pseudonym and can count its questions"
                + (point[.lookupsPerDeviceDay].map { ", per device and day \(Format.estimate($0))" } ?? "")
                + "; the pseudonym names nobody."
        case .narrowsQuestions:
            return
                "\(name) learns about which of \(Format.count(ledger.shards)) parts of the list a question is; chance"
                + " divides the list, so that a part has no subject."
        case .knowsAddresses: return "\(name) learns the network addresses at which the filter is used."
        case .readsSites:
            return
                "\(name) reads the names of the sites that devices\(groups) open: it would without the filter, too."
        }
    }
}

/// Words of sentences.
enum Prose {
    /// `a`, `a and b`, `a, b and c`.
    static func list(_ words: [String]) -> String {
        words.count < 2
            ? words.joined()
            : words.dropLast().joined(separator: ", ") + " and " + words[words.count - 1]
    }
}

extension String {
    /// Begins a sentence.
    var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
