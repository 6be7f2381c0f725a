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
