import Foundation

/// A client of `urlfilter open` that sends what its page asks, and whatever else.
struct PageCaller: Sendable {
    /// Answer with its head, in which the policies are.
    struct Answer: Sendable {
        var status: Int
        /// Fields in lower case, one line each.
        var head: String
        var content: String
    }

    /// All that a session may ask, and nobody else.
    static let questions = [
        "folder", "form", "scenario/new", "scenario/read", "scenario/resolve", "scenario/set",
        "scenario/save", "prefilter", "servers", "outage", "servers/confirm", "outage/confirm", "knobs",
        "glance", "compare", "note", "look", "result", "timeline", "ticket", "runs", "runs/start",
        "runs/resume", "runs/stop", "runs/events",
    ]

    /// Time in which any answer has to come, seconds.
    private static let patience = 5.0

    let port: UInt16
    let log: AttackLog

    /// Sends one request on a connection of its own.
    ///
    /// - Parameters:
    ///   - fields: Instead of those that a page sends, or besides them; an empty text leaves a field out.
    ///   - isEndless: Whether the head is all that is waited for.
    /// - Returns: Nil when no answer comes.
    @discardableResult
    func send(
        _ method: String, _ path: String, _ fields: [String: String] = [:], _ content: String = "",
        isEndless: Bool = false
    ) -> Answer? {
        var all = ["host": "127.0.0.1:\(port)", "connection": "close"]
        if method == "POST" {
            all["content-type"] = "application/json"
            all["content-length"] = "\(content.utf8.count)"
        }
        all.merge(fields) { $1 }
        let lines = all.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { "\($0): \($1)\r\n" }
        return send("\(method) \(path) HTTP/1.1\r\n\(lines.joined())\r\n\(content)", isEndless: isEndless)
    }

    func send(_ request: String, isEndless: Bool = false) -> Answer? {
        let deadline = ContinuousClock.now.advanced(by: .seconds(Self.patience))
        let connection = RawConnection(port: port, until: deadline)
        connection?.send(request, until: deadline)
        log.tried(byteCount: request.utf8.count)
        let received = connection?.receive(until: deadline) { bytes in
            isEndless && String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n")
        }
        guard let bytes = received?.bytes, let status = HTTPPeer.statuses(in: bytes).first else {
            log.answered("none")
            return nil
        }
        log.answered("\(status)")
        let text = String(decoding: bytes, as: UTF8.self)
        let end = text.firstRange(of: "\r\n\r\n")
        return Answer(
            status: status, head: text[..<(end?.lowerBound ?? text.endIndex)].lowercased(),
            content: end.map { String(text[$0.upperBound...]) } ?? "")
    }

    /// Asks a question of the page.
    @discardableResult
    func ask(
        _ question: String, session: String = "", _ fields: [String: String] = [:], _ content: String = "{}",
        isEndless: Bool = false
    ) -> Answer? {
        send(
            "POST", "/api/" + question, ["x-workbench-session": session].merging(fields) { $1 }, content,
            isEndless: isEndless)
    }

    /// Notes an answer that is not one of those that are right, or that lets other origins in.
    func expect(_ statuses: Set<Int>, _ answer: Answer?, _ what: String) {
        guard let answer else { return log.problem("\(what): no answer") }
        if !statuses.contains(answer.status) {
            let allowed = statuses.sorted().map(String.init).joined(separator: ", ")
            log.problem("\(what): status \(answer.status); it must be \(allowed)")
        }
        for field in ["access-control-allow", "set-cookie"] where answer.head.contains(field) {
            log.problem("\(what): the answer has a field \(field)")
        }
    }
}
