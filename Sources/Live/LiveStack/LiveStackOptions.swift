import Decoding
package import EventSimulation
import Foundation
package import Logging
import NIOCore
import Parties
package import PrivateInformationRetrieval
import Workload

/// Which parties run in this process, where, and within which limits.
package struct LiveStackOptions: Sendable {
    /// Base URLs of parties in other processes, for example `http://127.0.0.1:8081`.
    package struct Upstreams: Sendable {
        package var gateway: String?
        package var issuer: String?
        /// Instances of the PIR server; none if it runs in this process.
        package var pir: [String]
        /// Which of them a request goes to.
        package var balancing = Balancing.stickyByUser

        package init(gateway: String? = nil, issuer: String? = nil, pir: String...) {
            self.init(gateway: gateway, issuer: issuer, instances: pir)
        }

        package init(
            gateway: String? = nil, issuer: String? = nil, instances: [String],
            balancing: Balancing = .stickyByUser
        ) {
            self.gateway = gateway
            self.issuer = issuer
            pir = instances
            self.balancing = balancing
        }

        /// All of them.
        var all: [String] { [gateway, issuer].compactMap(\.self) + pir }
    }

    /// Files in PEM form.
    package struct TLSFiles: Sendable {
        package let certificatePath: String
        package let privateKeyPath: String

        package init(certificatePath: String, privateKeyPath: String) {
            self.certificatePath = certificatePath
            self.privateKeyPath = privateKeyPath
        }
    }

    /// All on one port.
    package var parties: Set<Party>
    package var host = "127.0.0.1"
    /// 0 takes a free one.
    package var port = 0
    /// Port on 127.0.0.1 for `/metrics`, 0 for a free one. With nil the page is on ``port`` if no other machine can
    /// reach ``host``, and else nowhere: how many requests of which kind there are is the operator's business.
    package var metricsPort: Int?
    package var tls: TLSFiles?
    package var upstreams = Upstreams()
    /// Hosts, with port, that a gateway passes requests on to besides its own.
    package var authorities: Set<String> = []
    /// Threads that compute PIR responses and sign tokens.
    package var coreCount: Int
    /// Requests that may wait for one of them; see ``ComputePool`` for who may.
    package var queueLimit = 256
    /// How long a request may wait for a thread.
    package var queueTime = PIRParty.queueTime
    /// How long a relay or a gateway waits for the answer of the next party. Longer than any device waits (3 s);
    /// assumption.
    package var upstreamTime = Duration.seconds(30)
    /// Nil for no limit.
    package var tokensPerUserPerDay: Int?
    /// Bytes of evaluation keys that are kept, in the file or in memory. Beyond that the ones uploaded first go, and
    /// their devices upload again when they ask for the configuration; assumption, some 100,000 devices.
    package var keyStorageByteCount = 64_000_000_000
    /// How evaluation keys are kept in memory: memory against CPU time per lookup.
    package var keyForm = EvaluationKeyForm.ready
    /// How long the gateway publishes a key; it opens requests for as long again. A request that was recorded opens no
    /// more when that is over, and until then it is known. Assumption: how long devices use a key is not known.
    package var gatewayKeyLife = Duration.seconds(86_400)
    /// SQLite file for keys, spent tokens and evaluation keys; nil keeps them in memory.
    package var statePath: String?
    package var limits = ConnectionLimits()
    /// Networks of relays and balancers, behind each of whose addresses there are many users; see ``ConnectionCrowd``.
    package var trustedNetworks: [PeerNetwork.Block] = []
    /// Log in which servers tell what they do. Nothing in it is a URL, a token, a key or a user.
    package var logger: Logger
    /// File to which a line is added for every request; nil for none.
    package var accessLogPath: String?
    /// Told of every group of lookups that the PIR server has answered, on the thread that did it: to measure it.
    package var groupObserver: (@Sendable (AnsweredGroup) -> Void)?

    /// A group of so many lookups is not answered before this time is over: to measure with a service time that is
    /// known beforehand. Nil, or a nil time, for as fast as possible.
    package var groupDeadline: (@Sendable (Int) -> Duration?)?

    /// Whether no other machine can reach what listens there.
    package static func isLoopback(_ host: String) -> Bool {
        ["127.0.0.1", "::1", "localhost"].contains(host)
    }

    package init(parties: Set<Party> = Set(Party.allCases), coreCount: Int) {
        self.parties = parties
        self.coreCount = coreCount
        // Not the library's stream for standard error: a reader that stops reading would stop every thread that logs.
        logger = Logger(
            label: "urlfilter", factory: { StreamLogHandler(label: $0, stream: MessageStream.standardError) })
        logger.logLevel = .notice
    }
}

/// Why a stack cannot start.
package enum LiveStackError: InputFault, Equatable, CustomStringConvertible {
    case missingUpstream(Party, of: Party)
    case unusableUpstream(String)
    case unusableTLSFile(String, reason: String)
    case cannotListen(host: String, port: Int, reason: String)
    case issuerUnreachable(status: Int)
    case unusableDirectory(reason: String)
    case tooManyTiers(Int, limit: Int)
    case sameTruncatedKeyID
    case unusableState(String, reason: String)
    case unwritableLog(String, reason: String)

    package var isOfInput: Bool {
        switch self {
        case .unusableTLSFile, .unusableState: true
        default: false
        }
    }

    static func cannotListen(host: String, port: Int, _ error: IOError) -> LiveStackError {
        .cannotListen(host: host, port: port, reason: String(cString: strerror(error.errnoCode)))
    }

    package var description: String {
        switch self {
        case .missingUpstream(let missing, let party):
            "the \(party.rawValue) needs the URL of the \(missing.rawValue), which does not run in this process"
        case .unusableUpstream(let url):
            "'\(url)' is no base URL of a party; give scheme, host and port, such as http://127.0.0.1:8081"
        case .cannotListen(let host, let port, let reason):
            "\(host) port \(port): \(reason); choose another port, or 0 for a free one"
        case .issuerUnreachable(let status):
            "the issuer answers \(status) for its directory; it has to run first"
        case .unusableDirectory(let reason):
            "the directory of the issuer cannot be used: \(reason)"
        case .tooManyTiers(let found, let limit):
            "there are \(found) tiers; token requests tell at most \(limit) apart"
        case .sameTruncatedKeyID:
            "two stored token keys have ids with the same last byte; remove one from the state file"
        case .unusableState(let path, let reason), .unusableTLSFile(let path, let reason),
            .unwritableLog(let path, let reason):
            "\(path): \(reason)"
        }
    }
}
