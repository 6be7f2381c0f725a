import Foundation

/// One attack on the page of `urlfilter open`.
struct PageAttack: Sendable {
    let name: String
    let summary: String
    let run: @Sendable (PageTarget) -> Void

    static let all = [
        PageAttack(
            name: "page.rebinding", summary: "names of an attacker that lead to this machine", run: rebinding),
        PageAttack(
            name: "page.foreign", summary: "pages of other origins, with and without what a session has",
            run: foreign),
        PageAttack(
            name: "page.events", summary: "streams of events for other origins and without a session",
            run: events),
        PageAttack(name: "page.guesses", summary: "guesses of both secrets", run: guesses),
        PageAttack(name: "page.spent", summary: "an address that was used before", run: spent),
        PageAttack(name: "page.paths", summary: "ways out of the folder that was opened", run: paths),
        PageAttack(name: "page.markup", summary: "names in files and requests that are markup", run: markup),
        PageAttack(name: "page.long", summary: "contents that are too long, or never end", run: long),
        PageAttack(
            name: "page.slow", summary: "100 connections whose contents do not come, while others ask",
            run: slow),
    ]
}

extension PageAttack {
    private static let hosts = [
        "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example",
        "127.0.0.1@evil.example", "0.0.0.0", "[::]", "127.1", "2130706433", "127.0.0.1:1:1",
        "127.0.0.1,evil.example",
    ]

    /// DNS rebinding: the browser believes to talk to the attacker's own host.
    private static func rebinding(_ target: PageTarget) {
        let caller = target.caller
        for host in hosts {
            for question in PageCaller.questions {
                caller.expect(
                    [421, 400], caller.ask(question, session: target.session, ["host": host]),
                    "\(question) for \(host)")
            }
            for path in ["/", "/main.js"] {
                caller.expect([421, 400], caller.send("GET", path, ["host": host]), "\(path) for \(host)")
            }
        }
        let port = target.server.port
        for hosts in [
            "host: evil.example\r\nhost: 127.0.0.1:\(port)", "host: 127.0.0.1\r\nhost: evil.example", "",
        ] {
            let answer = caller.send(
                "GET / HTTP/1.1\r\n\(hosts)\(hosts.isEmpty ? "" : "\r\n")connection: close\r\n\r\n")
            caller.expect([421, 400], answer, "two hosts, or none")
        }
    }

    private static func foreignFields(_ port: UInt16) -> [[String: String]] {
        ["http://evil.example", "null", "https://127.0.0.1:\(port)", "http://localhost:\(port)", "file://"]
            .map { ["origin": $0] }
            + ["http://127.0.0.1:\(port &+ 1)", "http://127.0.0.1"].map { ["origin": $0] }
            + ["cross-site", "same-site"].map { ["sec-fetch-site": $0] }
    }

    /// Cross-site requests. A hostile page cannot know the session; even one that did would be refused.
    private static func foreign(_ target: PageTarget) {
        let caller = target.caller
        let before = target.content
        for fields in foreignFields(target.server.port) {
            for question in PageCaller.questions {
                caller.expect(
                    [403], caller.ask(question, session: target.session, fields), "\(question), \(fields)")
            }
            caller.expect([403], caller.send("OPTIONS", "/api/runs/start", fields), "a question beforehand")
            caller.expect([403], caller.send("GET", "/server.js", fields), "a script")
        }
        // What a browser sends for a form or an image, if it told nothing of where it comes from.
        for question in PageCaller.questions {
            for type in [
                "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
            ] {
                let fields = ["content-type": type, "cookie": "session=\(target.session)"]
                caller.expect([401], caller.ask(question, fields), "\(question) as \(type)")
            }
            caller.expect([401], caller.send("GET", "/api/" + question), "\(question) by GET")
        }
        if target.content != before { target.log.problem("something was written into the folder") }
        let runs = caller.ask("runs", session: target.session)
        if runs?.content != "[]" { target.log.problem("a run was started") }
    }

    private static func events(_ target: PageTarget) {
        let caller = target.caller
        let path = "/api/runs/events"
        // An event source asks by GET, and can set no field of its own.
        let source = ["accept": "text/event-stream"]
        caller.expect([401], caller.send("GET", path, source, isEndless: true), "an event source")
        caller.expect(
            [401], caller.send("GET", path + "?session=" + target.session, source, isEndless: true),
            "a session in the address")
        for fields in foreignFields(target.server.port) {
            caller.expect(
                [403], caller.send("GET", path, source.merging(fields) { $1 }, isEndless: true), "\(fields)")
            caller.expect(
                [403], caller.ask("runs/events", session: target.session, fields, isEndless: true),
                "\(fields)")
        }
        let upgrade = ["upgrade": "websocket", "connection": "upgrade", "sec-websocket-version": "13"]
        caller.expect(
            [401],
            caller.send("GET", path, upgrade.merging(["sec-websocket-key": "eA=="]) { $1 }, isEndless: true),
            "a web socket")
        let own = caller.ask("runs/events", session: target.session, isEndless: true)
        caller.expect([200], own, "the page's own stream")
        if own?.head.contains("content-type: text/event-stream") != true {
            target.log.problem("the page's own stream is none")
        }
    }

    private static func guesses(_ target: PageTarget) {
        let caller = target.caller
        let deadline = ContinuousClock.now.advanced(by: .seconds(target.seconds))
        var near = [String(target.session.dropLast()), target.session + "0", target.session.uppercased()]
        near += ["", " ", "0", target.secret, String(target.session.reversed()), "\(target.session),x"]
        for guess in near {
            caller.expect([401], caller.ask("runs", session: guess), "a session that is near")
        }
        for guess in [String(target.secret.dropLast()), target.secret + "0", target.secret.uppercased(), ""] {
            caller.expect(
                [403], caller.ask("session", [:], #"{"secret":"\#(guess)"}"#), "a secret that is near")
        }
        var generator = SystemRandomNumberGenerator()
        var count = 0
        while ContinuousClock.now < deadline {
            let guess = (0..<4).map { _ in String(format: "%016lx", generator.next() as UInt64) }.joined()
            caller.expect([401], caller.ask("runs", session: guess), "a guess of the session")
            caller.expect(
                [403], caller.ask("session", [:], #"{"secret":"\#(guess)"}"#), "a guess of the secret")
            count += 2
        }
        let bits = log2(Double(count) / target.seconds * 365.25 * 86_400)
        target.log.note(
            "\(count) random guesses in \(Text.seconds(target.seconds)); a year of them is 2^\(Int(bits)) of 2^256"
        )
        if target.server.lastWords.components(separatedBy: "#open=").count != 2 {
            target.log.problem("a guess has changed the address that is shown")
        }
        caller.expect([200], caller.ask("runs", session: target.session), "the session afterwards")
    }

    private static func spent(_ target: PageTarget) {
        let caller = target.caller
        func open(_ secret: String) -> PageCaller.Answer? {
            caller.ask("session", [:], #"{"secret":"\#(secret)"}"#)
        }
        caller.expect([403], open(target.secret), "an address for the second time")
        caller.expect([403], open(target.secret), "an address for the third time")
        let shown = target.server.lastWords.matches(of: #/#open=([0-9a-f]{64})/#).map { String($0.1) }
        guard shown.count == 2, let fresh = shown.last, fresh != target.secret else {
            return target.log.problem("\(shown.count) addresses were shown; it must be 2")
        }
        caller.expect([200], open(fresh), "the new address")
        caller.expect([403], open(fresh), "the new address for the second time")
    }

    private static func paths(_ target: PageTarget) {
        let caller = target.caller
        let before = target.content
        let names = [
            "../secret.yaml", "link.yaml", "away/secret.yaml", "/etc/passwd", "results/../../secret.yaml",
            "./wrong.yaml", ".hidden.yaml", "-o.yaml", "away/new.yaml", "a\\u0000.yaml", "a\\n.yaml", "",
            "..%2fsecret.yaml", String(repeating: "a/", count: 600) + "b.yaml",
        ]
        func look(_ answer: PageCaller.Answer?, _ what: String) {
            caller.expect([400, 401, 403, 404, 409, 422], answer, what)
            if answer?.content.contains(PageTarget.outside) == true
                || answer?.content.contains("root:") == true
            {
                target.log.problem("\(what): shows what is outside")
            }
        }
        for name in names {
            for question in [
                "scenario/read", "scenario/save", "scenario/new", "result", "timeline", "glance", "knobs",
                "note", "runs/start", "runs/resume",
            ] {
                let body =
                    #"{"path":"\#(name)","text":"x","isPinned":true,"kind":"school","devices":"5","list":"a.example"}"#
                look(
                    caller.ask(question, session: target.session, [:], body),
                    "\(question) of \(name.prefix(30))")
            }
        }
        for path in [
            "/../secret.yaml", "/%2e%2e/secret.yaml", "//etc/passwd", "/report/../../secret.yaml", "/report/",
            "/page.html", "/main.js/../../secret.yaml", "/open/list.txt", "/..%5csecret.yaml",
        ] {
            look(caller.send("GET", path), path)
        }
        if target.content != before { target.log.problem("something was written into the folder") }
    }

    /// Whatever stands in files, an answer is data, and the page's own policy allows no script but its files.
    private static func markup(_ target: PageTarget) {
        let caller = target.caller
        let name = PageTarget.markup
        var seen = 0
        func look(_ answer: PageCaller.Answer?, _ what: String) {
            guard let answer else { return target.log.problem("\(what): no answer") }
            if answer.content.contains(name) { seen += 1 }
            for field in [
                "content-type: application/json", "nosniff", "default-src 'none'", "frame-ancestors 'none'",
            ]
            where !answer.head.contains(field) {
                target.log.problem("\(what): the answer is without \(field)")
            }
            if answer.head.contains("unsafe-") {
                target.log.problem("\(what): the policy allows scripts in texts")
            }
        }
        look(caller.ask("folder", session: target.session), "the folder")
        for question in [
            "scenario/read", "scenario/resolve", "result", "timeline", "knobs", "glance",
        ] {
            for path in ["\(name).yaml", "wrong.yaml", "results/\(name)", name] {
                let text = "name: '\(name)'\\ndevices: '\(name)'\\n"
                look(
                    caller.ask(
                        question, session: target.session, [:], #"{"path":"\#(path)","text":"\#(text)"}"#),
                    "\(question) of \(path)")
            }
        }
        for question in ["prefilter", "servers", "outage"] {
            let body = #"{"entries":"\#(name)","devices":"\#(name)"}"#
            look(caller.ask(question, session: target.session, [:], body), question)
        }
        let list = "\(name)\n\(name).example\n"
        let head = #"{"files":[{"name":"\#(name)","bytes":\#(list.utf8.count)}]}"# + "\n"
        look(caller.ask("look", session: target.session, [:], head + list), "a dropped list")
        look(caller.send("GET", "/%3Cimg%20src=x%20onerror=alert(1)%3E"), "a page of that name")
        if seen == 0 { target.log.problem("no answer has the name: the attack tries nothing") }
    }

    private static func long(_ target: PageTarget) {
        let caller = target.caller
        let announced = ["content-length": "1099511627776"]
        for (session, question) in [
            ("", "session"), ("", "look"), (target.session, "scenario/save"), (target.session, "look"),
        ] {
            caller.expect(
                [413], caller.ask(question, session: session, announced, "{}", isEndless: true),
                "a terabyte for \(question)")
        }
        // A content without a length, and a head without an end.
        for request in [
            "POST /api/session HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n"
                + String(repeating: "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n", count: 128),
            "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: " + String(repeating: "x", count: 4 << 20),
        ] {
            guard let answer = caller.send(request, isEndless: true) else { continue }
            caller.expect([400, 413, 431], answer, "what does not end")
        }
        caller.expect([200], caller.send("GET", "/"), "the page afterwards")
    }

    private static func slow(_ target: PageTarget) {
        let caller = target.caller
        let soon = ContinuousClock.now.advanced(by: .seconds(2))
        let held = (0..<100).compactMap { _ in RawConnection(port: target.server.port, until: soon) }
        for connection in held {
            connection.send(
                "POST /api/session HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\n{", until: soon)
        }
        target.log.tried(held.count)
        for _ in 0..<20 {
            let begin = ContinuousClock.now
            caller.expect([200], caller.send("GET", "/main.js"), "the page meanwhile")
            if ContinuousClock.now - begin > .seconds(1) {
                target.log.problem("the page waits for more than 1 s")
            }
        }
        // The page gives a content 10 s.
        let end = ContinuousClock.now.advanced(by: .seconds(13))
        let kept = held.count { !$0.receive(until: end).isClosed }
        target.log.answered("closed", count: held.count - kept)
        if kept > 0 { target.log.problem("\(kept) of \(held.count) are still open after 13 s") }
    }
}
