import ObliviousHTTP
import PrivateInformationRetrieval

/// A state file that cannot grow any more.
enum FullDiskAttacks: AttackFamily {
    static let server = ServerLimits(fileByteCount: 8 << 20, keepsState: true)

    static let attacks = [
        Attack(
            name: "full-disk",
            summary: "evaluation keys of ever new pseudonyms until the state file is full",
            duration: 2,
            // What cannot be stored is not acknowledged, so lookups may be refused; but they are, and at once.
            limits: AttackLimits(failureShare: 1), run: run)
    ]

    private static func run(_ target: Target) {
        target.together(2) { number in
            var count = 0
            while !target.isOver {
                do {
                    var device = AttackDevice(target, pseudonym: "stranger-\(number)-\(count)")
                    count += 1
                    try device.settle(tokens: 0)
                    target.log.answered("200")
                } catch let error as NotSettled {
                    target.log.answered(error.status.map(String.init) ?? "none")
                } catch {
                    target.log.problem("\(error)")
                }
                target.log.tried()
            }
        }
        if target.log.current.answers["503"] == nil { target.log.problem("no upload was refused with 503") }
    }
}
