/// Hosts that a list must not block: the filter itself, its updates and the management of devices need them.
///
/// From Apple's page "Use Apple products on enterprise networks" (support.apple.com/101555), and, for the filter's own
/// relay and token servers, from what devices were seen to ask (article "Device").
package enum NeededHosts {
    package struct Need: Sendable {
        package let host: String
        /// Purpose in words, to stand behind "devices need it for".
        package let purpose: String
    }

    package static let all: [Need] =
        needs(
            "the filter's relay and its tokens",
            [
                "gateway.icloud.com", "attester.gateway.icloud.com", "mask.icloud.com", "mask-h2.icloud.com",
                "mask-api.icloud.com", "mask-boot.icloud.com",
            ])
        + needs(
            "software updates",
            [
                "gdmf.apple.com", "mesu.apple.com", "swscan.apple.com", "swcdn.apple.com", "swdist.apple.com",
                "swdownload.apple.com", "updates.cdn-apple.com", "updates-http.cdn-apple.com",
                "appldnld.apple.com",
                "gs.apple.com", "oscdn.apple.com", "osrecovery.apple.com", "xp.apple.com",
            ])
        + needs(
            "management and activation",
            [
                "albert.apple.com", "captive.apple.com", "deviceenrollment.apple.com",
                "mdmenrollment.apple.com",
                "iprofiles.apple.com", "deviceservices-external.apple.com", "identity.apple.com",
                "setup.icloud.com",
            ])
        + needs(
            "push messages and certificates",
            [
                "courier.push.apple.com", "ocsp.apple.com", "ocsp2.apple.com", "crl.apple.com",
                "valid.apple.com",
                "time.apple.com",
            ])

    /// The first host that an entry blocks: the host itself, or one below it.
    package static func blocked(by entry: [UInt8]) -> Need? { byParent[entry] }

    private static let byParent: [[UInt8]: Need] = {
        var needs: [[UInt8]: Need] = [:]
        for need in all {
            var name = Substring(need.host)
            while true {
                needs[Array(name.utf8)] = needs[Array(name.utf8)] ?? need
                guard let dot = name.firstIndex(of: ".") else { break }
                name = name[name.index(after: dot)...]
            }
        }
        return needs
    }()

    private static func needs(_ purpose: String, _ hosts: [String]) -> [Need] {
        hosts.map { Need(host: $0, purpose: purpose) }
    }
}
