import Foundation

/// Two servers on one state file: each would know only half of the spent tokens.
enum SharedStateAttacks: AttackFamily {
    static let server = ServerLimits(keepsState: true)

    static let attacks = [
        Attack(
            name: "shared-state.same-path", summary: "a second server on the same state file",
            run: {
                try start($0, "state.sqlite") { _, _ in }
            }),
        Attack(
            name: "shared-state.symbolic-link",
            summary: "a second server on a symbolic link to the state file",
            run: {
                try start($0, "symbolic.sqlite") {
                    try FileManager.default.createSymbolicLink(atPath: $1, withDestinationPath: $0)
                }
            }),
        Attack(
            name: "shared-state.hard-link", summary: "a second server on a hard link to the state file",
            run: { try start($0, "hard.sqlite") { try FileManager.default.linkItem(atPath: $0, toPath: $1) } }
        ),
    ]

    private static func start(
        _ target: Target, _ name: String, link: (_ file: String, _ link: String) throws -> Void
    ) throws {
        let directory = target.server.directory
        let path = directory.appendingPathComponent(name).path
        try link(directory.appendingPathComponent("state.sqlite").path, path)
        target.log.tried()
        do {
            let second = try ServerProcess(
                program: target.program, ["serve", "issuer", "--state", path], in: directory)
            target.log.answered("started")
            target.log.problem("the second server started; it must not")
            _ = second.end(within: 5)
        } catch let error as ServerNotReady {
            target.log.answered("status \(error.status)")
            if error.status <= 0 || error.errors.isEmpty {
                target.log.problem("the second server ended with status \(error.status) and \(error.errors)")
            }
        }
    }
}
