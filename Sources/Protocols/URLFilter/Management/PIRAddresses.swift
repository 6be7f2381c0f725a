package import Foundation

/// The addresses of PIR server and issuer, as an app's Info.plist and a profile name them.
///
/// From 27.3 on devices refuse a filter whose two differ (article "Device", section "Managed devices").
package struct PIRAddresses: Hashable, Sendable {
    package let server: String
    package let issuer: String

    package init(server: String, issuer: String?) {
        self.server = server
        self.issuer = issuer ?? server
    }

    /// Takes the addresses of `NSPIRConfiguration` in an app's Info.plist; an issuer that it leaves out is the PIR
    /// server.
    ///
    /// - Returns: `nil` if there is none.
    package init?(infoPropertyList: Data) {
        guard let document = try? ProfileDocument(infoPropertyList), document.isPropertyList,
            let node = document.root.node("NSPIRConfiguration"), let server = node.text("PIRServerURL")
        else { return nil }
        self.init(server: server, issuer: node.text("PrivacyPassIssuerURL"))
    }

    /// Takes the addresses of the first URL filter in a configuration profile.
    ///
    /// - Returns: `nil` if there is none.
    package init?(profile: Data) {
        guard let document = try? ProfileDocument(profile), document.isPropertyList,
            case .array(let content)? = document.root["PayloadContent"]
        else { return nil }
        for payload in content {
            let parameters = PropertyNode(payload).node("URLFilterParameters")
            guard let server = parameters?.text("PIRServerURL") else { continue }
            self.init(server: server, issuer: parameters?.text("PIRPrivacyPassIssuerURL"))
            return
        }
        return nil
    }

    /// Says what is not the same, in words; `nil` if all is.
    package func difference(from other: PIRAddresses, _ name: String, _ otherName: String) -> String? {
        for (kind, mine, its) in [("PIR server", server, other.server), ("issuer", issuer, other.issuer)]
        where mine != its {
            return "the \(kind) is '\(mine)' in \(name) and '\(its)' in \(otherName)"
        }
        return nil
    }
}
