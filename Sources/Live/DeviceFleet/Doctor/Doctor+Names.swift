import URLFilter

/// Names and addresses: the record that Apple asks for, and the hosts that devices need.
extension Doctor {
    /// Text records of a host.
    package enum TextRecords: Hashable, Sendable {
        case found([String])
        /// No resolver could be asked, and why.
        case unknown(String)
    }

    /// Addresses of a host, as a network's resolver gives them.
    package enum HostAddresses: Hashable, Sendable {
        /// Empty if the name is there without an address.
        case found([String])
        case noSuchName
        /// No resolver could be asked, and why.
        case unknown(String)

        /// Whether a resolver keeps devices from the host: no such name, no address, or one that leads nowhere.
        package var isBlocked: Bool {
            switch self {
            case .unknown: false
            case .noSuchName: true
            case .found(let addresses):
                addresses.allSatisfy { ["0.0.0.0", "::", "::1"].contains($0) || $0.hasPrefix("127.") }
            }
        }
    }

    package typealias AddressLookup = @Sendable (_ host: String) async -> HostAddresses
    package typealias TextLookup = @Sendable (_ host: String) async -> TextRecords

    func judgeNetwork(_ findings: inout DoctorFindings) async {
        guard let addresses else {
            return findings.skip(.icloudHosts, "only of a network with a resolver that can be asked")
        }
        guard !settings.deployment.service.isLoopback || settings.asksForLocalRecords else {
            return findings.skip(
                .icloudHosts, "the service is this machine; name --resolver, that of the devices")
        }
        var blocked: [String] = []
        for host in ProfileLinter.neededHosts {
            let answer = await addresses(host)
            switch answer {
            case .unknown(let why): return findings.skip(.icloudHosts, why)
            case .noSuchName: blocked.append("\(host) (no such name)")
            case .found(let found) where answer.isBlocked:
                blocked.append("\(host) (\(found.first ?? "no address"))")
            case .found: break
            }
        }
        if blocked.isEmpty {
            findings.pass(.icloudHosts, "\(ProfileLinter.neededHosts.count) hosts")
        } else {
            findings.fail(.icloudHosts, "blocked: \(blocked.joined(separator: ", "))")
        }
    }

    func judgeDNS(_ findings: inout DoctorFindings) async {
        let service = settings.deployment.service
        guard !service.isLoopback || settings.asksForLocalRecords else {
            return findings.skip(.dnsRecord, "the service is this machine")
        }
        guard let bundle = bundleIdentifier else {
            return findings.skip(.dnsRecord, "the usecase does not name the app")
        }
        switch await textRecords(service.host) {
        case .unknown(let why): findings.skip(.dnsRecord, why)
        case .found(let records):
            let wanted = "apple-url-filter=\(bundle)"
            if records.contains(wanted) {
                findings.pass(.dnsRecord, wanted)
            } else {
                let other = records.filter { $0.hasPrefix("apple-url-filter=") }
                findings.fail(
                    .dnsRecord,
                    other.first.map { "it is '\($0)', not '\(wanted)'" } ?? "there is no '\(wanted)'")
            }
        }
    }

    private var bundleIdentifier: String? {
        let suffix = ".url.filtering"
        guard settings.usecase.hasSuffix(suffix), settings.usecase.count > suffix.count else { return nil }
        return String(settings.usecase.dropLast(suffix.count))
    }
}
