import Decoding
import Foundation

/// A service as an app names it: scheme, host and port, nothing else.
package struct ServiceAddress: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    /// Without the brackets that an IPv6 address has in a URL.
    package let host: String
    /// Nil when the URL names none.
    package let port: Int?
    /// Path of the URL as written: empty or `/` here, see ``init(_:)``.
    package let hasTrailingSlash: Bool

    package init(_ text: String) throws(AddressError) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty
        else { throw .notAURL(String(text.prefix(200))) }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            parts.percentEncodedPath.isEmpty || parts.percentEncodedPath == "/"
        else { throw .hasMore(String(text.prefix(200))) }
        if let port = parts.port, !(1...65_535).contains(port) { throw .port(port) }
        self.scheme = scheme
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        // Brackets around nothing are a host to the parser.
        guard !self.host.isEmpty else { throw .notAURL(String(text.prefix(200))) }
        port = parts.port
        hasTrailingSlash = !parts.percentEncodedPath.isEmpty
    }

    /// Host, and the port if the URL names one, as requests name the service.
    package var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return host + (port.map { ":\($0)" } ?? "")
    }

    package var effectivePort: Int { port ?? (scheme == "https" ? 443 : 80) }

    package var description: String { "\(scheme)://\(authority)" }

    package func url(path: String) -> String { description + path }

    /// Whether the name can only mean this machine. A name that merely resolves to it does not count.
    package var isLoopback: Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" { return true }
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return bytes.count == 4 && bytes[0] == 127 && !bytes.contains(nil)
    }
}

/// Why text is not the address of a service.
package enum AddressError: InputFault, Hashable, CustomStringConvertible {
    case notAURL(String)
    case hasMore(String)
    case port(Int)

    package var description: String {
        switch self {
        case .notAURL(let text):
            "'\(text)' is not an http or https URL with a host, such as https://pir.example.com"
        case .hasMore(let text):
            "'\(text)' has a path, a query or a user; a service is named by scheme, host and port only, because "
                + "devices drop custom paths"
        case .port(let port): "the port is \(port); it must be in 1...65535"
        }
    }
}
