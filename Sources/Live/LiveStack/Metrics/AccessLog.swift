import Crypto
import Decoding
import Foundation
import Logging
import Synchronization

/// A line of JSON for each request that a party of this process answered, in a file of the operator.
///
/// Nothing in it is a URL, a token, a key or a user: a device is a digest with a key that is made anew each time the
/// process starts and is never written.
final class AccessLog: Sendable {
    private let descriptor: Int32
    private let logger: Logger
    private let pseudonymKey = SymmetricKey(size: .bits256)
    private let hasFailed = Atomic<Bool>(false)

    /// - Parameter path: Lines are added to what is there; a new file may be read by its owner alone.
    init(path: String, logger: Logger) throws(LiveStackError) {
        descriptor = open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unwritableLog(path, reason: String(cString: strerror(errno)))
        }
        self.logger = logger
    }

    deinit { close(descriptor) }

    /// - Parameters:
    ///   - duration: From the whole request to the whole answer.
    ///   - user: What the device calls itself, if the party can read it.
    func note(
        party: Party, endpoint: String, status: Int, bytes: Int, duration: Duration, user: String?
    ) {
        let started = Date().timeIntervalSince1970 - duration.milliseconds * 1e-3
        let device = user.map { ",\"device\":\"\(pseudonym(of: $0))\"" } ?? ""
        let line =
            "{\"start\":\"\(Self.text(started))\",\"party\":\"\(party.rawValue)\",\"endpoint\":\"\(endpoint)\","
            + "\"status\":\(status),\"bytes\":\(bytes),"
            + "\"duration_ms\":\(String(format: "%.3f", duration.milliseconds))\(device)}\n"
        // One call for a line, so that lines of several threads do not mix.
        let written = Array(line.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written != line.utf8.count, !hasFailed.exchange(true, ordering: .relaxed) {
            logger.warning("the access log cannot be written; requests are answered all the same")
        }
    }

    private func pseudonym(of user: String) -> String {
        HMAC<SHA256>.authenticationCode(for: Data(user.utf8), using: pseudonymKey).prefix(8)
            .hexadecimal
    }

    /// ISO 8601 with microseconds.
    private static func text(_ unixSeconds: Double) -> String {
        let microseconds = Int64(unixSeconds * 1e6)
        var seconds = time_t(microseconds / 1_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return String(
            format: "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1,
            Int(parts.tm_mday), Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec),
            Int(microseconds % 1_000_000))
    }
}
