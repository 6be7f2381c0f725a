/// An operator whose script asks for a reload again and again while devices ask.
enum ReloadAttacks: AttackFamily {
    static let attacks = [
        Attack(name: "reload", summary: "twenty reloads a second, under load") { target in
            while !target.isOver {
                target.server.reload()
                target.log.tried()
                target.wait(until: .now.advanced(by: .milliseconds(50)))
            }
        }
    ]
}
