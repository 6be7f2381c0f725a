import DeviceFleet
import Testing

struct DeviceSymptomTests {
    /// Errors as devices, logs and relays write them, with what the public threads found behind each.
    @Test(
        arguments: [
            ("NSURLErrorDomain Code=-1000", .badGatewayKey),
            (
                "Error Domain=NSURLErrorDomain Code=-1000 \"bad URL\" UserInfo={NSUnderlyingError=… POSIX 22}",
                .badGatewayKey
            ),
            ("NSURLErrorDomain Code=-1009", .noRelay),
            (
                "Error Domain=NSPOSIXErrorDomain Code=50 \"Network is down\" {_NSURLErrorPrivacyProxyFailureKey=true}, "
                    + "Error Domain=NSURLErrorDomain Code=-1009", .noRelay
            ),
            ("HTTP 504 proxy-status: error=proxy_internal_response", .relayWithoutGateway),
            ("504", .relayWithoutGateway),
            ("413", .sizeCap), ("POST /key: 413, proxy-status error=proxy_internal_response", .sizeCap),
            ("<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD> 403", .accessDenied),
            ("HTTP/2 403", .forbidden),
            ("serverSetupIncomplete", .setUpIncomplete),
            ("NEURLFilterManager.Error error 9", .setUpIncomplete),
            ("CipherML 1100: Unable to query status … failed to fetch token", .tokenRefused),
            ("CipherML error 401: missing configuration", .usecaseMissing),
            ("No token key found with key id 12", .issuerKeysChanged),
            ("Evaluation key not found", .evaluationKeyLost),
            ("410 Gone", .configurationTooOld),
            ("Authentication 7: failed to fetch token key", .tokenKeyUnreachable),
        ] as [(String, DeviceSymptom.Kind)])
    func anErrorNamesItsCause(text: String, kind: DeviceSymptom.Kind) {
        #expect(DeviceSymptom.all(in: text).first?.kind == kind, "\(DeviceSymptom.all(in: text).map(\.kind))")
    }

    /// The inner error says more than the outer one, and both are told.
    @Test func aNestedErrorTellsAll() {
        let kinds = DeviceSymptom.all(
            in:
                "serverSetupIncomplete, Domain=NEAgentURLFilterErrorDomain Code=3, CipherML 1100, NSURLErrorDomain Code=-1009"
        ).map(\.kind)
        #expect(Set(kinds) == [.setUpIncomplete, .tokenRefused, .noRelay])
    }

    /// A number is a whole one: 1504 and 41350 are no statuses.
    @Test func whatIsNotInTheTableIsNotExplained() {
        for text in ["", "no idea", "1504", "port 41350", "1000", "took 10-1009x ms"] {
            #expect(DeviceSymptom.all(in: text).map(\.kind) == [], "\(text)")
        }
    }

    @Test func everySymptomSaysAllThings() {
        for kind in DeviceSymptom.Kind.allCases {
            let found = DeviceSymptom.all(in: kind.sign)
            let own = found.first { $0.kind == kind }
            #expect(own != nil, "\(kind) is not found by its own sign")
            #expect(
                own?.steps.isEmpty == false && own?.cause.isEmpty == false && own?.source.isEmpty == false)
        }
    }
}
