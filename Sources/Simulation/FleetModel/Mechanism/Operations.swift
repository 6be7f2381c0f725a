import URLFilter

/// Kind of data that a party can read.
package enum Datum: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    case clientAddress, sizeAndTime
    /// Which device it is, and whose.
    case deviceIdentity
    /// The edition of the prefilter that a device has.
    case listEdition
    /// The credential of the app's user.
    case userToken
    /// The pseudonym that a device sends with its evaluation key and its queries.
    case userIdentifier
    /// A Privacy Pass token: good once, and not to be matched with the user token that it was issued for.
    case token
    /// Generation and version of the system, in the `User-Agent` of a request.
    case systemVersion
    /// A device's public key for private lookups, the same for days.
    case evaluationKey
    /// Number of the shard that may have a keyword.
    case shardIndex
    case encryptedKeyword
    /// The first bytes of a hash, which many URLs share.
    case hashPrefix
    case host, url
    /// An entry of the list that a device has blocked, in the clear.
    case blockedEntry
    /// Answers that a device keeps.
    case cachedAnswer
}

/// Costs of filtering for servers and devices, over the observed period.
package struct OperationsRecord: Codable, Hashable, Sendable {
    /// CPU time of the operator's servers, and cores that were busy in the busiest interval of the series, seconds.
    package var cpuSeconds = 0.0
    package var peakCores = 0.0
    /// Open connections at their peak.
    package var memoryBytes = 0.0
    /// Between the operator's servers and everybody else.
    package var ingressBytes = 0.0
    package var egressBytes = 0.0
    /// On the devices' lines, because of the filter.
    package var deviceBytes = 0.0
    package var deviceCPUSeconds = 0.0
    /// Pages whose document was blocked as the list says; of these, so many readers ask for access, where they can.
    package var blockedPages = 0
    package var accessRequests: Double?
    /// The tunnels of the devices; `nil` for a mechanism without any.
    package var tunnel: TunnelRecord?
    /// Counts of what each party could read.
    package var readings: [Part: [Datum: Int]] = [:]
}

/// Costs of a mechanism; CPU times are those of one core. Each has a source in the article `Architectures`.
package struct MechanismCosts: Hashable, Sendable {
    /// CPU seconds of the server for each new connection of a page, for each request and for each byte it carries.
    package var cpuPerConnection = 0.0
    package var cpuPerRequest = 0.0
    package var cpuPerByte = 0.0
    package var memoryPerConnection = 0.0
    /// Visits to the server of a new connection before its first request: its set-up, or the question for a name.
    package var visitsPerConnection = 1.0
    /// Share of the page's bytes that go through the server.
    package var carriedShare = 0.0
    /// It stands where the bytes pass anyway: nothing is sent for it.
    package var isOnTheWay = false
    /// Bytes that each packet of a page is longer, on the device's line.
    package var overheadPerPacket = 0.0
    /// Bytes of messages to the server for each new connection, both ways together: the question to a resolver.
    package var messageBytesPerConnection = 0.0
    /// CPU seconds of the device for each new connection, and for each byte.
    package var deviceCPUPerConnection = 0.0
    package var deviceCPUPerByte = 0.0

    package init() {}

    /// Bytes of a page in a packet. An Ethernet frame less the headers of IP and TCP.
    static let packetBytes = 1_460.0
    /// Requests go through the server.
    var carriesRequests: Bool { carriedShare > 0 || cpuPerRequest > 0 }

    /// CPU seconds of the server for a page.
    func cpu(of page: PageShape) -> Double {
        page.hosts * cpuPerConnection + page.requests * cpuPerRequest + page.bytes * carriedShare * cpuPerByte
    }

    /// Visits of a page that take CPU time: each with what belongs to it, a request with the bytes of its answer.
    func workingVisits(of page: PageShape) -> Double {
        (cpuPerConnection > 0 ? page.hosts * visitsPerConnection : 0)
            + (cpuPerRequest > 0 || carriedShare * cpuPerByte > 0 ? page.requests : 0)
    }

    /// Visits of the chain of a page that its reader waits for.
    func visitsOfChain(of page: PageShape) -> Double {
        page.chainHosts * visitsPerConnection + (carriesRequests ? page.chain : 0)
    }

    /// How long a connection stays open, seconds: the usual default of web servers (Apache 5, NGINX 75). Assumption.
    static let connectionSeconds = 60.0
}

extension OperationsRecord {
    /// Makes the record of a mechanism, by the mean page.
    ///
    /// - Parameters:
    ///   - pages: Loaded through it.
    ///   - busiest: Share of the pages that are loaded in the busiest interval, and its length in seconds.
    init(
        pages: Double, _ page: PageShape, _ costs: MechanismCosts, busiest: (share: Double, seconds: Double)
    ) {
        let (connections, bytes) = (pages * page.hosts, pages * page.bytes * costs.carriedShare)
        cpuSeconds = pages * costs.cpu(of: page)
        if busiest.seconds > 0 {
            peakCores = cpuSeconds * busiest.share / busiest.seconds
            let rate = connections * busiest.share / busiest.seconds
            memoryBytes = rate * MechanismCosts.connectionSeconds * costs.memoryPerConnection
        }
        let messages = connections * costs.messageBytesPerConnection / 2
        let overhead = pages * page.bytes / MechanismCosts.packetBytes * costs.overheadPerPacket
        // What a server carries comes in and goes out again.
        let sent = costs.isOnTheWay ? 0 : bytes
        ingressBytes = sent + messages
        egressBytes = sent + messages + overhead
        deviceBytes = overhead + 2 * messages
        deviceCPUSeconds =
            connections * costs.deviceCPUPerConnection + pages * page.bytes * costs.deviceCPUPerByte
    }
}

extension OperationsRecord {
    /// Makes the record of servers that were simulated, from what they and the messages of a URL filter were.
    init(of record: ReplicationRecord) {
        // In one order, for the sum of floating-point numbers depends on it.
        for (_, station) in record.stations.sorted(by: { $0.key.name < $1.key.name }) {
            cpuSeconds += station.busySeconds
            peakCores += station.peakUtilization * Double(station.servers)
        }
        memoryBytes = Double(record.urlFilter.memory?.peakBytes ?? 0)
        for endpoint in Endpoint.allCases {
            guard let traffic = record.urlFilter.endpoints[endpoint] else { continue }
            ingressBytes += Double(traffic.requestBytes)
            egressBytes += Double(traffic.responseBytes)
        }
        egressBytes += Double(record.urlFilter.prefilter.bytes)
        deviceBytes = ingressBytes + egressBytes
    }
}
