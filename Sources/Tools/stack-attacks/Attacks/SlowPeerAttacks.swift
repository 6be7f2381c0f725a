/// Peers that are in no hurry, and peers that only come and go.
enum SlowPeerAttacks: AttackFamily {
    static let attacks = [
        Attack(
            name: "slow.head", summary: "200 connections that send a head, byte by byte",
            limits: AttackLimits(cost: .perRequest(0.1))
        ) { target in
            drip(target, "GET /health HTTP/1.1\r\nhost: a\r\nx: ")
        },
        Attack(
            name: "slow.content", summary: "200 connections that send a content, byte by byte",
            limits: AttackLimits(cost: .perRequest(0.1))
        ) { target in
            drip(target, "POST /queries HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n")
        },
        Attack(
            name: "slow.reading",
            summary: "20 connections that ask for 100 000 responses and read none",
            limits: AttackLimits(cost: .perByte(2)), run: readNothing),
        Attack(
            name: "slow.idle", summary: "2 000 connections that say nothing",
            limits: AttackLimits(cost: .perRequest(0.2))
        ) { target in hold(2_000, target) { _ in [] } },
        Attack(
            name: "slow.churn", summary: "a thousand connections a second that are made and left at once",
            limits: AttackLimits(cost: .perRequest(0.2)), run: churn),
    ]

    /// Opens connections, sends each what it has to say first, and holds them until the attack is over.
    static func hold(_ count: Int, _ target: Target, _ words: (Int) -> [UInt8]) {
        var connections: [RawConnection] = []
        while connections.count < count, !target.isOver {
            target.log.tried()
            guard let connection = target.connect() else {
                target.log.answered("no connection")
                continue
            }
            let words = words(connections.count)
            if !words.isEmpty { connection.send(words, until: target.deadline) }
            connections.append(connection)
        }
        target.wait(until: target.deadline)
        for connection in connections {
            target.log.answered(connection.receiveNow().isClosed ? "closed" : "open")
        }
    }

    private static func drip(_ target: Target, _ start: String) {
        let connections = (0..<200).compactMap { _ in target.connect() }
        for connection in connections { connection.send(start, until: target.deadline) }
        while !target.isOver {
            for connection in connections { connection.send("x", until: target.deadline) }
            target.log.tried(connections.count, byteCount: connections.count)
            target.wait(until: .now.advanced(by: .milliseconds(50)))
        }
        for connection in connections {
            target.log.answered(connection.receiveNow().isClosed ? "closed" : "open")
        }
    }

    private static func readNothing(_ target: Target) {
        let request = Array("GET /.well-known/ohttp-gateway HTTP/1.1\r\nhost: a\r\n\r\n".utf8)
        let block = Array(repeatElement(request, count: 1_000).joined())
        target.together(20) { _ in
            guard let connection = target.connect(receiveBufferByteCount: 4_096) else {
                return target.log.answered("no connection")
            }
            var isTaken = true
            for _ in 0..<100 where isTaken && !target.isOver {
                let sent = connection.send(block, until: target.deadline)
                target.log.tried(sent / request.count, byteCount: sent)
                isTaken = sent == block.count
            }
            target.log.answered(isTaken ? "taken" : "held up")
            target.wait(until: target.deadline)
        }
    }

    /// Evenly: a flood beyond the kernel's backlog would say nothing about the server.
    private static func churn(_ target: Target) {
        target.together(4) { _ in
            while !target.isOver {
                let next = ContinuousClock.now.advanced(by: .milliseconds(4))
                let isMade = target.connect() != nil
                target.log.tried()
                target.log.answered(isMade ? "taken" : "no connection")
                target.wait(until: next)
            }
        }
    }
}

/// More connections than the server may have open files.
enum DescriptorAttacks: AttackFamily {
    static let server = ServerLimits(descriptors: 256)

    static let attacks = [
        Attack(
            name: "descriptors",
            summary: "600 silent connections to a server that may have 256 open files"
        ) { target in SlowPeerAttacks.hold(600, target) { _ in [] } }
    ]
}
