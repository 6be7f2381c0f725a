import Foundation
import Parties

/// Address at which a party in another process listens: scheme, host and port, and nothing else.
///
/// A URL is only ever made of these and of a path that we know, so that no text of a peer can become part of the host.
package struct PartyURL: Sendable {
    /// Host and, if there is one, port.
    package let authority: String
    private let scheme: String

    /// - Parameter text: For example `https://pir.example:8443`, with a slash behind it or not.
    package init(_ text: String) throws(LiveStackError) {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = url.percentEncodedHost, !host.isEmpty,
            url.user == nil, url.password == nil, ["", "/"].contains(url.percentEncodedPath),
            url.query == nil, url.fragment == nil
        else { throw .unusableUpstream(text) }
        self.scheme = scheme
        authority = host + (url.port.map { ":\($0)" } ?? "")
    }

    package var text: String { "\(scheme)://\(authority)" }

    func url(of endpoint: PartyEndpoint) -> String { text + endpoint.path }
}
