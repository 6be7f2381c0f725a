import URLFilter

/// Requirements on a deployment, in the order in which a device would meet them.
///
/// What Apple asks for is in article "Device", section "Onboarding and relay".
package enum DoctorCheck: String, CaseIterable, Codable, Sendable {
    case hostOnlyURLs, propertyLists, dnsRecord, icloudHosts, reachable, clock, http2, ohttpKeys,
        ohttpExchange
    case directory, tokenKey, tokenIssue, tokenRedeem, missingToken, replayedToken
    case usecaseName, configuration, publicConfiguration, shardCount, powerOfTwoShards
    case keyUpload, keyKept, keyInQuery, relayCap
    case testEntry, absentEntry, oldQuery, reloadedData, generationOrder

    package var title: String {
        switch self {
        case .hostOnlyURLs: "URLs are https and name hosts only"
        case .propertyLists: "app and profile name the same services"
        case .dnsRecord: "DNS TXT record names the app"
        case .icloudHosts: "this network's DNS answers for Apple's hosts"
        case .reachable: "service and issuer answer"
        case .clock: "the servers' clock is right"
        case .http2: "HTTP/2 is negotiated"
        case .ohttpKeys: "OHTTP key configuration"
        case .ohttpExchange: "sealed exchange by way of the gateway"
        case .directory: "issuer directory"
        case .tokenKey: "the device finds its token key in the directory"
        case .tokenIssue: "the issuer signs tokens"
        case .tokenRedeem: "the service accepts a fresh token"
        case .missingToken: "a request without a token is refused"
        case .replayedToken: "a spent token is refused"
        case .usecaseName: "usecase name is <bundle id>.url.filtering"
        case .configuration: "configuration of the usecase"
        case .publicConfiguration: "configuration for everybody, GET /config (27.3)"
        case .shardCount: "no more shards than devices accept"
        case .powerOfTwoShards: "shard count is a power of two"
        case .keyUpload: "evaluation key upload"
        case .keyKept: "the service knows the uploaded key"
        case .keyInQuery: "lookup with an evaluation key of its own (27.3)"
        case .relayCap: "sizes stay below the relay's caps"
        case .testEntry: "test entry \(TestEntry.validated) is listed"
        case .absentEntry: "a random entry is not listed"
        case .oldQuery: "a query from before a reload is answered or refused"
        case .reloadedData: "a reload brings other data"
        case .generationOrder: "the service has the entries of the prefilter"
        }
    }

    package var fix: String {
        switch self {
        case .hostOnlyURLs:
            "give each service a host of its own on port 443, and name it without path and slash"
        case .propertyLists:
            "write the URLs of the profile into NSPIRConfiguration of the app's Info.plist, and the same text in both"
        case .icloudHosts:
            "let the DNS of the devices' network resolve Apple's hosts; lists against Private Relay block them too"
        case .dnsRecord: "add the TXT record apple-url-filter=<bundle id> to the service's host"
        case .reachable: "start the service; check DNS, firewall and certificate"
        case .clock: "synchronize the servers' clocks (NTP)"
        case .http2: "enable ALPN h2 at the TLS endpoint; the relay demands it"
        case .ohttpKeys:
            "publish RFC 9458 key configurations as application/ohttp-keys, with X25519 (KEM 0x0020), "
                + "HKDF-SHA256 and AES-128-GCM or ChaCha20-Poly1305"
        case .ohttpExchange: "let the gateway open with the published key and reach issuer and service"
        case .directory:
            "serve RFC 9578 JSON at /.well-known/private-token-issuer-directory, with its media type"
        case .tokenKey:
            "answer /token-key-for-user-token with a key of the directory whose not-before has passed"
        case .tokenIssue: "check the user token, and that /issue signs with the key of the directory"
        case .tokenRedeem: "give the service the issuer's current public keys"
        case .missingToken: "require Authorization: PrivateToken on /config, /key and /queries"
        case .replayedToken:
            "store the nonces of spent tokens, shared by all servers, checked and set in one step"
        case .usecaseName: "name the usecase <bundle id of the app>.url.filtering"
        case .configuration: "add the usecase to service-config.json, reload, and check the name"
        case .publicConfiguration:
            "answer GET /config without token and User-Identifier, with the configurations of all usecases"
        case .shardCount: "put more entries into a shard"
        case .powerOfTwoShards: "process the database with a power-of-two shard count"
        case .keyUpload: "accept bodies of 10 MiB on /key"
        case .keyKept:
            "store evaluation keys by User-Identifier where all servers, also restarted ones, find them"
        case .keyInQuery:
            "answer with the key in field 6 of the PIRRequest, and take bodies of /queries of some megabytes"
        case .relayCap: "declare larger sizes to Apple, or choose parameters with a smaller evaluation key"
        case .testEntry:
            "add \(TestEntry.forms.joined(separator: " and ")) with value 1 to the data set; 'urlfilter bloom build'"
                + " keeps both"
        case .absentEntry: "check the processed database: devices take any value for a match"
        case .oldQuery:
            "refuse queries of a configuration that is not kept with 410, and keep two versions (versionCount 2) over"
                + " a reload"
        case .reloadedData:
            "compare fileStem and shardCount of service-config.json with the files that processing wrote, and reload"
                + " again"
        case .generationOrder:
            "load the processed database into all PIR servers first, and publish the prefilter when they answer"
        }
    }

    /// Sign that shows up on devices (article "Device", section "Error signatures").
    package var signature: String {
        switch self {
        case .hostOnlyURLs: "path and port are dropped since 26.4; no request arrives at the service"
        case .propertyLists: "serverSetupIncomplete (9) from 27.3 on: the configuration is refused"
        case .icloudHosts: "serverSetupIncomplete (9) in this network, and not in others"
        case .dnsRecord, .http2: "serverSetupIncomplete (9): the relay is not provisioned"
        case .reachable: "CipherML 1100 or 1800; lookups end with the failure policy after 3 s"
        case .clock: "tokens are refused or asked for too early; keys look older than they are"
        case .ohttpKeys, .ohttpExchange: "serverSetupIncomplete (9) <- CipherML 1100 <- CipherML 1800"
        case .directory: "CipherML 1100 'failed to fetch token' (Authentication 3)"
        case .tokenKey: "Authentication 7 'failed to fetch token key'"
        case .tokenIssue: "CipherML 1100 'Unable to query status … failed to fetch token' (Authentication 3)"
        case .tokenRedeem: "401 'No token key found with key id'; the filter may stop"
        case .missingToken, .replayedToken: "none: devices work, and so does everybody else"
        case .usecaseName, .configuration: "CipherML 401 / 25 'missing configuration'"
        case .publicConfiguration: "no configuration, so the filter does not start"
        case .keyInQuery: "lookups fail until an evaluation key is uploaded"
        case .shardCount, .powerOfTwoShards: "the client refuses the configuration; the filter does not start"
        case .keyUpload: "400 'Evaluation key not found' on every lookup"
        case .keyKept: "400 'Evaluation key not found' until the next fetch of the configuration"
        case .relayCap: "413 with proxy-status error=proxy_internal_response; the service sees nothing"
        case .testEntry: "Apple's validation of the set-up fails"
        case .absentEntry: "URLs that are not listed are blocked"
        case .oldQuery:
            "none, until the next fetch of the configuration: lookups fail, or listed URLs read as absent and open"
        case .reloadedData: "none: devices go on with the old list"
        case .generationOrder: "new entries are looked up and allowed, and the answer stays in caches"
        }
    }
}
