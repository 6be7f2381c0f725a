import PrivateInformationRetrieval

/// A state file that cannot grow any more.
enum FullDiskAttacks: AttackFamily {
    static let server = ServerLimits(fileByteCount: 8 << 20, keepsState: true)

    static let attacks = [
        Attack(
            name: "full-disk",
            summary: "evaluation keys of ever new pseudonyms, on and on when the state file is full",
            duration: 2,
            // What cannot be stored is not acknowledged, so lookups may be refused, but not all of them; and what is
            // refused takes no memory.
            limits: AttackLimits(failureShare: 1, memoryByteCount: 256 << 20), run: run)
    ]

    private static func run(_ target: Target) {
        // A server that stores nothing any more need not issue tokens either.
        let fetchingEnd = ContinuousClock.now.advanced(by: (target.deadline - .now) / 2)
        target.together(4) { number in
            do {
                var device = AttackDevice(target, pseudonym: "stranger-\(number)")
                try device.settle(tokens: 0)
                let upload = WireCoding.bytes(of: try device.keyUpload())
                var tokens = 0
                while tokens == 0 || ContinuousClock.now < fetchingEnd {
                    try device.fetchTokens(1)
                    tokens += 1
                }
                for count in 0..<tokens where !target.isOver {
                    let request = try device.request("/key", upload, as: "stranger-\(number)-\(count)")
                    target.log.tried(byteCount: upload.count)
                    target.log.answered(
                        device.send(request)?.status, to: "upload", expected: [200, 429, 503, 507])
                }
            } catch {
                target.log.problem("\(error)")
            }
        }
        if target.log.current.answers["503"] == nil, target.log.current.answers["507"] == nil {
            target.log.problem("no upload was refused: the file was not full")
        }
    }
}
