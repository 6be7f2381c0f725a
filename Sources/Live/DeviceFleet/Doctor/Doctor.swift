import Decoding
import Foundation
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
package import URLFilter

/// Does, once and step by step, all that devices and Apple's validation do with a deployment.
///
/// A step whose precondition failed is reported as not checked, so that one fault makes one failing line.
package struct Doctor: Sendable {
    package struct Settings: Sendable {
        /// URLs as the app names them, which may be more than a host.
        package var serviceText: String
        package var issuerText: String
        package var deployment: Deployment
        package var usecase: String
        package var userToken: String
        /// Generation of the devices that shall work.
        package var generation = OSGeneration.iOS27
        /// Largest request body that the relay passes on, bytes; nil when none was declared.
        package var relayCap: Int?
        /// Judges a service on this machine as if it were to be shipped.
        package var isDistribution = false
        /// Looks for the text record of a service on this machine, too.
        package var asksForLocalRecords = false
        /// Services as the app's Info.plist and the profile of device management name them; nil if nobody gave them.
        package var app: PIRAddresses?
        package var profile: PIRAddresses?
        /// Entries that are in the prefilter to be published, and must be on the service before it.
        package var newEntries: [[UInt8]] = []
        /// Makes the service take new data while a device has the old configuration; nil leaves that unchecked.
        package var reload: (@Sendable () async throws -> Void)?
        /// Entry that no list has, to see that not everything is listed.
        package var absentEntry = "\(UUID().uuidString.lowercased()).invalid"
        /// Clocks may differ by this many seconds (assumption: Apple names no limit).
        package var clockTolerance = 60.0

        package init(
            serviceText: String, issuerText: String, deployment: Deployment, usecase: String,
            userToken: String
        ) {
            self.serviceText = serviceText
            self.issuerText = issuerText
            self.deployment = deployment
            self.usecase = usecase
            self.userToken = userToken
        }
    }

    let settings: Settings
    let http: any HTTPCalls
    let textRecords: TextLookup
    /// Address lookup in this machine's network, where devices are; nil leaves their hosts unchecked.
    let addresses: AddressLookup?
    /// Unix seconds here.
    let now: @Sendable () -> Double

    package init(
        _ settings: Settings, http: any HTTPCalls, textRecords: @escaping TextLookup,
        addresses: AddressLookup? = nil,
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) {
        self.settings = settings
        self.http = http
        self.textRecords = textRecords
        self.addresses = addresses
        self.now = now
    }

    package func examine() async -> DoctorReport {
        var findings = DoctorFindings()
        judgeURLs(&findings)
        judgePropertyLists(&findings)
        await judgeDNS(&findings)
        await judgeNetwork(&findings)
        await judgeTransport(&findings)
        if let channel = await openChannel(&findings) {
            var patient = Patient(settings, channel)
            await patient.examine(&findings)
        }
        var report = DoctorReport(
            service: settings.deployment.service.description, issuer: settings.deployment.issuer.description,
            route: settings.deployment.routeName, usecase: settings.usecase)
        report.lines = findings.lines
        report.causes = SetupCause.all(of: report.lines)
        return report
    }

    private var isShipped: Bool { settings.isDistribution || !settings.deployment.isLoopback }

    private func judgeURLs(_ findings: inout DoctorFindings) {
        guard isShipped else {
            return findings.skip(.hostOnlyURLs, "an app run from Xcode may use ports and plain HTTP")
        }
        var named = [settings.serviceText, settings.issuerText]
        if case .oblivious(let resource, _) = settings.deployment.route {
            named.append((try? ServiceAddress(originOf: resource))?.description ?? resource)
        }
        let faults = named.compactMap { text -> String? in
            guard let parts = URLComponents(string: text) else { return "\(text) is no URL" }
            if parts.scheme?.lowercased() != "https" { return "\(text) is not https" }
            if parts.port != nil { return "\(text) names a port" }
            return parts.path.isEmpty
                ? nil : parts.path == "/" ? "\(text) ends with a slash" : "\(text) has a path"
        }
        if let fault = faults.first {
            findings.fail(.hostOnlyURLs, fault)
        } else {
            findings.pass(.hostOnlyURLs, settings.serviceText)
        }
    }

    /// Compares the app and the profile with each other and with what is examined.
    private func judgePropertyLists(_ findings: inout DoctorFindings) {
        let app = settings.app.map { (addresses: $0, name: "the app's Info.plist") }
        let profile = settings.profile.map { (addresses: $0, name: "the profile") }
        guard let first = app ?? profile else {
            return findings.skip(.propertyLists, "name --info-plist and --profile")
        }
        var others: [(addresses: PIRAddresses, name: String)] = []
        if app != nil, let profile { others.append(profile) }
        if isShipped {
            let here = PIRAddresses(server: settings.serviceText, issuer: settings.issuerText)
            others.append((here, "the services that are examined"))
        }
        for other in others {
            if let difference = first.addresses.difference(from: other.addresses, first.name, other.name) {
                return findings.fail(.propertyLists, difference)
            }
        }
        guard !others.isEmpty else {
            return findings.skip(.propertyLists, "name both --info-plist and --profile")
        }
        findings.pass(.propertyLists, first.addresses.server)
    }

    /// Public pages, without seal and token.
    private func judgeTransport(_ findings: inout DoctorFindings) async {
        let deployment = settings.deployment
        var pages = [
            deployment.issuer.url(path: IssuerDirectory.path), deployment.service.url(path: "/config"),
        ]
        if case .oblivious(_, let keys) = deployment.route { pages.append(keys) }
        var replies: [(url: String, reply: HTTPReply)] = []
        for url in pages {
            do {
                replies.append((url, try await http.get(url)))
            } catch {
                findings.fail(.reachable, "\(url): \(error)")
                return findings.skipRest("the services do not answer")
            }
        }
        findings.pass(.reachable, "\(replies.count) hosts or pages")
        judgeClock(replies, &findings)
        if replies.allSatisfy(\.reply.isHTTP2) {
            findings.pass(.http2, "\(replies.count) requests were answered with it")
        } else if isShipped {
            let url = replies.first { !$0.reply.isHTTP2 }?.url ?? ""
            findings.fail(.http2, "\(url) answers with HTTP/1.1")
        } else {
            findings.skip(.http2, "it is negotiated over TLS, and this is a plain service on this machine")
        }
    }

    private func judgeClock(_ replies: [(url: String, reply: HTTPReply)], _ findings: inout DoctorFindings) {
        let skews = replies.compactMap { url, reply -> (url: String, skew: Double)? in
            let date = reply.fields.first(named: "date")?.text.flatMap(HTTPDate.seconds)
            return date.map { (url, $0 - now()) }
        }
        guard let worst = skews.max(by: { abs($0.skew) < abs($1.skew) }) else {
            return findings.skip(.clock, "no answer has a Date field")
        }
        let text = "\(Int(saturating: worst.skew.rounded())) s against this machine, at \(worst.url)"
        if abs(worst.skew) <= settings.clockTolerance {
            findings.pass(.clock, text)
        } else {
            findings.fail(.clock, text)
        }
    }

    /// - Returns: Nil when the services cannot be asked.
    private func openChannel(_ findings: inout DoctorFindings) async -> (any ExchangeChannel)? {
        guard !findings.isClosed else { return nil }
        guard case .oblivious(let resource, let keys) = settings.deployment.route else {
            findings.skip(.ohttpKeys, "the services are asked directly; name --gateway or --relay")
            findings.skip(.ohttpExchange, "the services are asked directly")
            return DirectChannel(http)
        }
        do {
            let reply = try await http.get(keys)
            guard reply.status == 200 else {
                throw DoctorFault("\(keys) answers with status \(reply.status)")
            }
            let configurations = try OHTTPKeyConfiguration.decodeList(reply.body)
            // Devices take no other: they stop behind the directory with NSURLErrorDomain -1000.
            guard configurations.contains(where: { $0.kemID == OHTTPKEM.x25519.rawValue }) else {
                let found = configurations.map { String(format: "0x%04x", $0.kemID) }
                throw DoctorFault(
                    "no key is of KEM 0x0020, DHKEM(X25519, HKDF-SHA256); offered are \(found.joined(separator: ", "))"
                )
            }
            let usable = configurations.first {
                $0.kemID == OHTTPKEM.x25519.rawValue && (try? OHTTPClient(configuration: $0)) != nil
            }
            guard let usable else {
                throw DoctorFault("no X25519 key has symmetric algorithms that are in use")
            }
            guard reply.mediaType == OHTTPMediaType.keyConfigurations else {
                throw DoctorFault("the media type is '\(reply.mediaType ?? "none")'")
            }
            findings.pass(
                .ohttpKeys,
                "\(configurations.count) keys; key \(usable.keyID), \(usable.symmetric.count) suites")
            return try await ObliviousChannel(http, resource: resource, keys: keys)
        } catch {
            findings.fail(.ohttpKeys, "\(error)")
            findings.skipRest("nothing can be sealed for the gateway")
            return nil
        }
    }
}
