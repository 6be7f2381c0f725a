/// One peer that holds as many connections as the server may have open files, and takes each place anew that it loses.
enum SquattingAttacks: AttackFamily {
    static let server = ServerLimits(descriptors: 200)

    static let attacks = [
        squat("idle", "connections of HTTP/2 without streams") { HTTP2Frame.preface },
        squat("half-open", "requests of HTTP/2 without their content") {
            HTTP2Frame.preface + HTTP2Frame.head(.post, "/queries", stream: 1).bytes
        },
        squat("window", "requests of HTTP/2 whose answer has no window") {
            HTTP2Frame.preface + HTTP2Frame.settings(4, 0).bytes
                + HTTP2Frame.head(
                    .get, "/.well-known/private-token-issuer-directory", stream: 1,
                    flags: HTTP2Frame.endHeaders | HTTP2Frame.endStream
                ).bytes
        },
        squat("half-content", "requests of HTTP/1.1 without the end of their content") {
            Array("POST /queries HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nx".utf8)
        },
    ]

    /// - Parameter words: What each connection says, once.
    private static func squat(
        _ name: String, _ summary: String, words: @escaping @Sendable () -> [UInt8]
    ) -> Attack {
        // Clients that keep a connection between two lookups lose it, and must not lose the lookup.
        Attack(
            name: "squatting.\(name)", summary: "300 \(summary), at a server with 200 open files", duration: 2
        ) { target in
            var connections: [RawConnection] = []
            while !target.isOver {
                let count = connections.count
                connections.removeAll { $0.receiveNow().isClosed }
                target.log.answered("closed", count: count - connections.count)
                while connections.count < 300, !target.isOver, let connection = target.connect() {
                    target.log.tried()
                    connection.send(words(), until: target.deadline)
                    connections.append(connection)
                }
                target.wait(until: .now.advanced(by: .milliseconds(20)))
            }
        }
    }
}
