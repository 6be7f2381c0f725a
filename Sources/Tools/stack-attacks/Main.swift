import ArgumentParser
import Foundation

/// Every family, in the order in which it runs.
private var families: [any AttackFamily.Type] {
    [
        SteeringAttacks.self, ExposureAttacks.self, PieceAttacks.self, AmplificationAttacks.self,
        DescriptorAttacks.self, SlowPeerAttacks.self, HTTP2Attacks.self, SmugglingAttacks.self,
        SquattingAttacks.self, TokenAttacks.self, ReplayAttacks.self, OverloadAttacks.self,
        ReloadAttacks.self,
        ClientAttacks.self, FullDiskAttacks.self, SharedStateAttacks.self,
    ]
}

@main
struct StackAttacksProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stack-attacks", abstract: "Try what the servers withstand.",
        subcommands: [AttackCommand.self, PageCommand.self, WorldsCommand.self],
        defaultSubcommand: AttackCommand.self)
}

/// Attacks on a started server.
struct AttackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract:
            "Attack a started 'urlfilter serve' while honest clients work, and tell what it withstands.",
        discussion: """
            Each attack lasts --seconds. Meanwhile devices look up URLs through relay and
            gateway at a fixed rate, new ones set themselves up, and /health is asked for
            on new connections. An attack is withstood if these go on, if its cost and the
            server's memory stay within limits, and if the server rests and ends cleanly
            afterwards. Exit code 0: everything was withstood; 2: something was not.

            Examples:
              swift build -c release && swift run -c release stack-attacks
              swift run -c release stack-attacks --only http2,tokens.forged --seconds 5
              swift run -c release stack-attacks --soak 600

            --soak lets connections, streams, keys, tokens, reloads and resets come and go
            for so long, and prints the server's memory: it has to end where it was after
            a tenth of the time, at most the first minute, plus a slack that is printed.
            """)

    @Option(
        help: ArgumentHelp(
            "The program under attack. Default: urlfilter beside this program.", valueName: "file"))
    var program: String?

    @Option(
        help: ArgumentHelp("Only attacks whose names begin with one of these.", valueName: "name,name"))
    var only = ""

    @Option(
        help: ArgumentHelp(
            "Seconds of churn instead of attacks, 10 or more; a night is 28800.", valueName: "seconds"))
    var soak: Double?

    @Option(help: "Seconds of each attack.")
    var seconds = 1.2

    @Option(help: "Makes the same attacks again. Default: a new one, which is printed.")
    var seed = UInt64.random(in: 1...999_999)

    @Flag(help: "Print JSON, schema urlfilter.stack-attacks/1.")
    var json = false

    func validate() throws {
        #if !os(Linux)
            throw ValidationError(
                "this needs Linux, which limits a server's memory and tells its peak; use a container")
        #endif
        guard (0.5...600).contains(seconds) else {
            throw ValidationError("--seconds is \(seconds); it must be in 0.5...600")
        }
        if let soak, !(10...604_800).contains(soak) {
            throw ValidationError("--soak is \(soak); it must be in 10...604800")
        }
        guard families.contains(where: { $0.attacks.contains { isSelected($0.name) } }) else {
            throw ValidationError("no attack begins with '\(only)'")
        }
        guard FileManager.default.isExecutableFile(atPath: programPath) else {
            throw ValidationError(
                "\(programPath) is no program; build it with 'swift build -c release --product urlfilter'")
        }
    }

    func run() async throws {
        // A peer that went away is an error of the write.
        signal(SIGPIPE, SIG_IGN)
        Self.raiseDescriptorLimit()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stack-attacks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let interrupts = [SIGINT, SIGTERM].map { Self.end(at: $0, removing: directory) }
        defer { for source in interrupts { source.cancel() } }
        let isTerminal = isatty(STDERR_FILENO) != 0
        if let soak {
            let result = try await Soak(program: programPath, directory: directory, seconds: soak, seed: seed)
                .run()
            print(result.text)
            if !result.passed { throw ExitCode(2) }
            return
        }
        var runner = try AttackRunner(
            program: programPath, directory: directory, seconds: seconds, seed: seed
        ) { name in
            FileHandle.standardError.write(Data((isTerminal ? "\r\u{1B}[K\(name)" : "\(name)\n").utf8))
        }
        let report = try await runner.run(families, selection: isSelected)
        if isTerminal { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
        print(json ? try report.json() : report.text)
        if !report.passed { throw ExitCode(2) }
    }

    private var programPath: String { Self.path(of: program) }

    /// The program under attack: servers run in directories of their own, so its path is absolute.
    ///
    /// - Parameter program: As it was given; nil for `urlfilter` beside this one.
    static func path(of program: String?) -> String {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        let path =
            program
            ?? URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("urlfilter")
            .path
        return URL(fileURLWithPath: path).path
    }

    private func isSelected(_ name: String) -> Bool {
        only.isEmpty || only.split(separator: ",").contains { name.hasPrefix($0) }
    }

    /// Some attacks hold thousands of connections.
    static func raiseDescriptorLimit() {
        var limit = rlimit()
        getrlimit(SystemNumbers.openFiles, &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(SystemNumbers.openFiles, &limit)
    }

    /// Servers are in process groups of their own and would go on.
    static func end(at number: Int32, removing directory: URL) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(
            signal: number, queue: DispatchQueue(label: "interrupts"))
        source.setEventHandler {
            ServerProcess.killAll()
            try? FileManager.default.removeItem(at: directory)
            _exit(128 + number)
        }
        source.resume()
        return source
    }
}
