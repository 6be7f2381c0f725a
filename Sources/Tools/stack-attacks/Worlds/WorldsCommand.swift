import ArgumentParser
import Foundation
import ServerWorlds
import Timing

/// Random worlds around the servers of this program, in virtual time.
struct WorldsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worlds",
        abstract: "Run the servers in random worlds of virtual time, and look for a rule that they break.",
        discussion: """
            A world has devices, a network that loses and repeats messages, a disk
            that is slow or full, clocks that are set, crashes, restarts and reloads.
            Pool, parties, hosts and store are those of 'urlfilter serve'. Its seed is
            all of a world. Exit code 2: a rule was broken; the shortest script that
            breaks it is printed, with the command that runs it again.

            Examples:
              stack-attacks worlds --count 10000
              stack-attacks worlds --seconds 28800 --seed 1000000
              stack-attacks worlds --mutants
              stack-attacks worlds --mutant lostSync
              stack-attacks worlds --seed 7 --only 3,12,15
            """)

    @Option(help: "Worlds.")
    var count = 10_000

    @Option(help: "Seed of the first world; the others have the next ones.")
    var seed: UInt64 = 1

    @Option(help: "Worlds for so many seconds instead of --count; a night is 28800.")
    var seconds: Double?

    @Option(help: "Threads.")
    var threads = ProcessInfo.processInfo.activeProcessorCount

    @Option(
        help:
            "A fault to put into a double of an interface: \(Mutant.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var mutant: String?

    @Flag(help: "Every such fault in turn: how many worlds and seconds it takes to find it.")
    var mutants = false

    @Option(help: "The one world with these of its events only.")
    var only: String?

    private var chosenMutant: Mutant? { mutant.flatMap(Mutant.init(rawValue:)) }

    func validate() throws {
        guard (1...100_000_000).contains(count) else {
            throw ValidationError("--count is \(count); it must be in 1...100000000")
        }
        guard seed <= UInt64.max / 2 else { throw ValidationError("--seed must be below 2⁶³") }
        if let seconds, !(1...604_800).contains(seconds) {
            throw ValidationError("--seconds is \(seconds); it must be in 1...604800")
        }
        guard (1...1_024).contains(threads) else {
            throw ValidationError("--threads is \(threads); it must be in 1...1024")
        }
        if let mutant, chosenMutant == nil { throw ValidationError("there is no mutant '\(mutant)'") }
        if let only, only.split(separator: ",").contains(where: { Int($0) == nil }) {
            throw ValidationError("--only is '\(only)'; it must be numbers of events, for example 3,12,15")
        }
    }

    func run() async throws {
        let stock = try WorldStock()
        if mutants { return try await huntMutants(stock) }
        let search = WorldSearch(stock: stock, mutant: chosenMutant)
        if let only { return try replay(only, search) }
        let started = ContinuousClock.now
        let result = await find(search)
        let spent = (ContinuousClock.now - started).seconds
        print(
            "\(result.worldCount) worlds from seed \(seed), \(result.arrivalCount) requests, "
                + "\(result.startCount) starts of the servers, "
                + "\(Self.text(spent)) s; fingerprint \(String(result.fingerprint, radix: 16))")
        guard let failure = result.failure else { return print("no rule was broken") }
        print(search.shrink(failure).text(mutant: mutant))
        throw ExitCode(2)
    }

    private func find(_ search: WorldSearch) async -> WorldSearchResult {
        let end = seconds.map { ContinuousClock.now + .seconds($0) }
        let last = end == nil ? seed + UInt64(count) : UInt64.max
        return await search.run(seeds: seed..<last, threads: threads) {
            end.map { ContinuousClock.now > $0 } ?? false
        }
    }

    private func replay(_ only: String, _ search: WorldSearch) throws {
        let script = WorldScript(seed: seed).keeping(Set(only.split(separator: ",").compactMap { Int($0) }))
        let outcome = search.run(script)
        guard let violation = outcome.violation else { return print("no rule was broken") }
        print(
            FailingWorld(seed: seed, violation: violation, script: script).text(mutant: mutant))
        throw ExitCode(2)
    }

    private func huntMutants(_ stock: WorldStock) async throws {
        var isMissed = false
        print("mutant                 interface           worlds  seconds  events  rule")
        for mutant in Mutant.allCases {
            let search = WorldSearch(stock: stock, mutant: mutant)
            let started = ContinuousClock.now
            let result = await find(search)
            let spent = (ContinuousClock.now - started).seconds
            let failure = result.failure.map { search.shrink($0) }
            isMissed = isMissed || failure == nil
            let cells = [
                (mutant.rawValue, -22), (mutant.place, -18), ("\(result.worldCount)", 7),
                (Self.text(spent), 8), (failure.map { "\($0.script.events.count)" } ?? "-", 7),
            ]
            print(
                cells.map { Self.padded($0.0, $0.1) }.joined(separator: " ")
                    + "  " + (failure?.violation.invariant.rawValue ?? "not found"))
        }
        if isMissed { throw ExitCode(2) }
    }

    /// - Parameter width: Negative for text that begins at the left.
    private static func padded(_ text: String, _ width: Int) -> String {
        let space = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? text + space : space + text
    }

    private static func text(_ seconds: Double) -> String { String(format: "%.1f", seconds) }
}

extension FailingWorld {
    fileprivate func text(mutant: String?) -> String {
        let numbers = script.events.map { "\($0.number)" }.joined(separator: ",")
        let option = mutant.map { " --mutant \($0)" } ?? ""
        return """
            seed \(seed): \(violation.invariant.rawValue) after \(violation.second) s: \(violation.text)
            \(script.events.map { "  \($0)" }.joined(separator: "\n"))
            again: stack-attacks worlds --seed \(seed) --only \(numbers)\(option)
            """
    }
}
