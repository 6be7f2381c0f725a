import URLFilter

extension DeviceSymptom.Kind {
    package var sign: String {
        switch self {
        case .badGatewayKey: "NSURLErrorDomain -1000 \"bad URL\", POSIX 22"
        case .noRelay: "NSURLErrorDomain -1009, POSIX 50 \"Network is down\""
        case .relayWithoutGateway: "504, often with proxy-status: error=proxy_internal_response"
        case .sizeCap: "413, often with proxy-status: error=proxy_internal_response"
        case .answerCap: "NSURLErrorDomain -1005 \"connection lost\" in the middle of an answer"
        case .accessDenied: "HTML page \"Access Denied\""
        case .forbidden: "403"
        case .setUpIncomplete: "serverSetupIncomplete (9), CipherML 1800"
        case .tokenRefused: "CipherML 1100 \"failed to fetch token\" (Authentication 3)"
        case .tokenKeyUnreachable: "Authentication 7 \"failed to fetch token key\""
        case .usecaseMissing: "CipherML 401 / 25 \"missing configuration\""
        case .issuerKeysChanged: "401 \"No token key found with key id\""
        case .evaluationKeyLost: "400 \"Evaluation key not found\""
        case .configurationTooOld: "410"
        case .timedOut: "NSURLErrorDomain -1001 \"timed out\""
        case .hostNotFound: "NSURLErrorDomain -1003 \"host not found\""
        case .certificate: "NSURLErrorDomain -1200 or -1202, TLS"
        }
    }

    var cause: String {
        switch self {
        case .badGatewayKey:
            "the gateway's key configuration has no key of DHKEM(X25519, HKDF-SHA256), the only one that devices take"
        case .noRelay:
            "the system has no relay for this bundle identifier, so the connection fails on the device before any"
                + " packet: not approved, approved and not yet provisioned (weeks), or provisioned for a share of the"
                + " devices"
        case .relayWithoutGateway:
            "the relay is there and cannot reach the gateway, or does not know the host: common after a move to other"
                + " hosts, although the old ones were approved"
        case .sizeCap:
            "a message is larger than the sizes that were declared; the largest message decides, which is the"
                + " evaluation key at /key, and not the average"
        case .answerCap:
            "an answer is larger than the declared size, and is cut after that much (30 kB after 3 kB were declared)"
        case .accessDenied:
            "the page comes from the network in front of Apple's relay, which does not know the host that was"
                + " registered"
        case .forbidden:
            "the service or something in front of it (firewall, web application firewall, list of countries) refuses"
        case .setUpIncomplete:
            "several: no relay for the bundle identifier, Apple's hosts blocked in this network, app and profile with"
                + " other URLs (27.3), a shard count that is refused, or services that do not answer as they must"
        case .tokenRefused: "the issuer's URL is wrong, or the issuer refuses the user token"
        case .tokenKeyUnreachable: "/token-key-for-user-token cannot be reached"
        case .usecaseMissing: "the service has no usecase of the name <bundle id of the app>.url.filtering"
        case .issuerKeysChanged: "the issuer's keys changed, and devices still have tokens of the old ones"
        case .evaluationKeyLost:
            "the service has lost the device's evaluation key; heals at the next fetch of the configuration"
        case .configurationTooOld:
            "the device asks with a configuration that the service does not keep any more"
        case .timedOut: "the service takes longer than the device waits"
        case .hostNotFound: "the name has no address in the network of the device or of the relay"
        case .certificate: "the certificate is not trusted, not of this host, or the TLS version is too old"
        }
    }

    var steps: [String] {
        switch self {
        case .badGatewayKey:
            [
                "doctor URL --gateway URL: the line 'OHTTP key configuration' has to pass",
                "publish a key of KEM 0x0020 with HKDF-SHA256 and AES-128-GCM or ChaCha20-Poly1305",
            ]
        case .noRelay:
            [
                "the state of the request at Identity & Trust of the CloudKit console, and its bundle identifier",
                "the same build on several devices, and again some weeks after the approval",
                "a build run from Xcode of an app that never asked for a relay works without one",
            ]
        case .relayWithoutGateway:
            [
                "the hosts that are registered against those of the app: gateway, issuer and service",
                "that the gateway answers over IPv4 and IPv6, with HTTP/2, from outside your network",
                "ask Apple to provision the new hosts",
            ]
        case .sizeCap:
            [
                "doctor URL --relay-cap SIZE: the line of the sizes says what /key takes",
                "declare the largest message (urlfilter capacity --declaration), not the average",
                "'pir process' with parameters whose evaluation key is smaller",
            ]
        case .answerCap:
            ["the size of the answers of /queries and /config in doctor", "declare the largest answer"]
        case .accessDenied:
            [
                "the host in the page against the one that is registered",
                "ask Apple: after an approval the registration may have another host",
            ]
        case .forbidden:
            [
                "the Server field of the answer says who refuses: your service or something in front of it",
                "let the relay's addresses through; they belong to several networks and change",
            ]
        case .setUpIncomplete:
            [
                "doctor URL in the devices' network: its last lines tell the causes apart",
                "the nested errors of the device's log: -1009 no relay, -1000 key of the gateway, 504 and 413 at the"
                    + " relay",
                "DNS of the network: \(ProfileLinter.neededHosts.joined(separator: ", "))",
            ]
        case .tokenRefused:
            [
                "the lines 'issuer directory' and 'the issuer signs tokens' of doctor URL --user-token TOKEN",
                "PIRPrivacyPassIssuerURL and the token of the profile: lint FILE.mobileconfig",
            ]
        case .tokenKeyUnreachable:
            ["the line 'token key' of doctor; with a path in the issuer's URL it is dropped since 26.4"]
        case .usecaseMissing:
            ["lint service-config.json", "the identifier is that of the app, not of its extension"]
        case .issuerKeysChanged:
            [
                "keep the old key in the directory until its tokens are spent",
                "doctor: 'the service accepts a fresh token'",
            ]
        case .evaluationKeyLost:
            ["doctor: 'the service knows the uploaded key'", "store keys where all servers find them"]
        case .configurationTooOld:
            [
                "versionCount 2 in service-config.json",
                "how often you reload: urlfilter run --set generations",
            ]
        case .timedOut:
            ["the time of /queries at the service, and its queue", "urlfilter capacity for more servers"]
        case .hostNotFound:
            [
                "the DNS of this network, and the public one",
                "the TXT record and the A record are of one host",
            ]
        case .certificate:
            ["openssl s_client -connect HOST:443 -servername HOST -alpn h2", "the whole chain is sent"]
        }
    }

    var operatorLog: String {
        switch self {
        case .badGatewayKey:
            "directory and key configuration are fetched, then nothing: no /token-key-for-user-token, no /issue"
        case .noRelay: "at most the issuer's directory, without a seal; nothing else"
        case .relayWithoutGateway: "nothing at all"
        case .sizeCap: "configuration requests and no /key; lookups do not begin"
        case .answerCap: "status 200 with all bytes; the device asks again"
        case .accessDenied: "nothing at all"
        case .forbidden: "403 in the log of whoever refuses; nothing behind it"
        case .setUpIncomplete: "whatever came before the step that failed"
        case .tokenRefused: "401 or 404 at /issue, or nothing there"
        case .tokenKeyUnreachable: "the directory is fetched, /token-key-for-user-token is not"
        case .usecaseMissing: "404 at /config"
        case .issuerKeysChanged: "401 at /config, /key and /queries of many devices at once"
        case .evaluationKeyLost: "400 at /queries, then /key"
        case .configurationTooOld: "410 at /queries after a reload, then /config"
        case .timedOut: "status 200, late"
        case .hostNotFound, .certificate: "nothing, or connections that end in the handshake"
        }
    }

    var source: String {
        switch self {
        case .badGatewayKey: "apple/pir-service-example issue 142, Apple's maintainer, 2026-04-28"
        case .noRelay:
            "Apple Developer Forums 821619; apple/pir-service-example issue 162 (2026-08-29: a few users of an app)"
        case .relayWithoutGateway: "apple/pir-service-example issue 139, 2026-04-15; proxy-status: RFC 9209"
        case .sizeCap:
            "apple/pir-service-example issues 170, 171 (2026-09-08) and 175 (2026-09-18); proxy-status: RFC 9209"
        case .answerCap:
            "apple/pir-service-example issue 114; the code is Apple's for a connection that ends early"
        case .accessDenied: "apple/pir-service-example issue 111, 2025-10-03"
        case .forbidden: "RFC 9110, section 15.5.4; which refuses is assumed"
        case .setUpIncomplete: "Apple Developer Forums 821619; NEURLFilterManager.Error"
        case .tokenRefused, .usecaseMissing, .issuerKeysChanged, .evaluationKeyLost:
            "apple/pir-service-example, CommonErrors.md"
        case .tokenKeyUnreachable: "apple/pir-service-example issue 116"
        case .configurationTooOld: "apple/pir-service-example, HTTPEndpoints.md"
        case .timedOut, .hostNotFound, .certificate:
            "Apple Developer Documentation, URLError.Code; the rest is assumed"
        }
    }
}
