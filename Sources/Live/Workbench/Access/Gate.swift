import Crypto
import Decoding
import Foundation
import Synchronization

/// Decides who may ask.
///
/// No cookie is used, so a browser adds nothing to the request of a hostile page: the page keeps a session's secret in
/// the storage of its own origin and sends it in a field that other origins cannot set. The secret in the address is
/// another one, stands behind `#`, where browsers send it to nobody, and opens one session only.
final class Gate: Sendable {
    /// Field that carries the session's secret.
    static let field = "x-workbench-session"

    private struct State {
        var secret = Secret()
        var isUsed = false
    }

    private let session = Secret()
    private let state = Mutex(State())
    /// Gets the secret of a new address after an old one was used twice.
    private let renew: @Sendable (String) -> Void

    init(renew: @escaping @Sendable (String) -> Void) { self.renew = renew }

    /// Secret of the address that opens the next session.
    var secret: String { state.withLock { $0.secret.text } }

    /// Exchanges the secret of the address for that of a session.
    func session(for text: String) throws(WorkbenchRefusal) -> String {
        let (isRight, fresh) = state.withLock { state -> (Bool, String?) in
            guard state.secret.equals(text) else { return (false, nil) }
            guard state.isUsed else {
                state.isUsed = true
                return (true, nil)
            }
            state = State()
            return (false, state.secret.text)
        }
        if let fresh {
            renew(fresh)
            throw WorkbenchRefusal(403, "this address was used before; the terminal shows a new one")
        }
        guard isRight else { throw WorkbenchRefusal(403, "this is not the address that the terminal shows") }
        return session.text
    }

    /// Checks what every request must be: meant for this machine, and sent by our own page or by no page.
    ///
    /// A foreign name that leads here (DNS rebinding) is in the host; a page of another origin is in the two others,
    /// which pages cannot forge.
    func check(source request: WorkbenchRequest) throws(WorkbenchRefusal) {
        guard Self.isLoopback(request.host) else {
            throw WorkbenchRefusal(421, "the workbench answers to 127.0.0.1, localhost and [::1] only")
        }
        // The first one became the request's authority. RFC 9112, section 3.2: one more is no request.
        guard request.fields["host"] == nil else {
            throw WorkbenchRefusal(400, "a request names one host")
        }
        if let origin = request.fields["origin"], origin != "http://\(request.host)" {
            throw WorkbenchRefusal(403, "a page of another origin may not ask")
        }
        if let site = request.fields["sec-fetch-site"], site != "same-origin", site != "none" {
            throw WorkbenchRefusal(403, "a page of another site may not ask")
        }
    }

    func check(session request: WorkbenchRequest) throws(WorkbenchRefusal) {
        guard let text = request.fields[Self.field], session.equals(text) else {
            throw WorkbenchRefusal(401, "no session; open the address that the terminal shows")
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        let name =
            host.hasPrefix("[")
            ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        let port = host.dropFirst(name.count)
        let isPort = port.isEmpty || port.first == ":" && port.dropFirst().allSatisfy(\.isASCIIDigit)
        return isPort && ["127.0.0.1", "localhost", "[::1]"].contains(name)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

/// Thirty-two random bytes that only those know who were told.
struct Secret: Sendable {
    let text: String
    private let digest: SHA256.Digest

    init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal
        digest = SHA256.hash(data: Data(text.utf8))
    }

    /// Takes the same time wherever the texts differ: digests are compared as swift-crypto compares them.
    func equals(_ other: String) -> Bool { SHA256.hash(data: Data(other.utf8)) == digest }
}
