import Decoding
import Foundation

/// Runs that the page started, one after the other: each takes all cores.
///
/// What is kept here is only how far they are. Results are the directories that the program writes, so they, and runs
/// that were stopped, outlive this process.
actor RunQueue {
    static let mostWaiting = 20
    private static let mostKept = 100
    private static let mostListeners = 16
    /// Time for a run to end when the program does; what it has is kept in any case.
    private static let patience = Duration.seconds(10)

    struct Run: Codable, Equatable, Sendable {
        enum State: String, Codable, Sendable { case waiting, running, stopping, done, stopped, failed }

        var id: Int
        var title: String
        /// Directory of the result, in the folder.
        var result: String
        var command: String
        var state: State
        /// Last line of its messages.
        var line = ""
        /// Share that is done, if it said so.
        var share: Double?
        /// Exit code, when it has ended.
        var code: Int32?
    }

    private let launcher: any RunLauncher
    private let folder: String
    private var runs: [Run] = []
    private var arguments: [Int: [String]] = [:]
    private var process: (id: Int, run: any LaunchedRun)?
    private var listeners: [Int: AsyncStream<String>.Continuation] = [:]
    private var count = 0
    private var hasEnded = false

    init(launcher: any RunLauncher, folder: String) {
        self.launcher = launcher
        self.folder = folder
    }

    var all: [Run] { runs }

    /// - Parameters:
    ///   - arguments: After the program's name.
    ///   - result: Directory that they write, in the folder.
    func start(
        _ arguments: [String], title: String, result: String
    ) throws(WorkbenchRefusal) -> Run {
        guard !hasEnded else { throw WorkbenchRefusal(503, "the workbench is ending") }
        guard runs.count(where: { $0.state == .waiting }) < Self.mostWaiting else {
            throw WorkbenchRefusal(429, "\(Self.mostWaiting) runs wait already; stop one first")
        }
        guard !runs.contains(where: { $0.result == result && $0.code == nil }) else {
            throw WorkbenchRefusal(409, "a run writes into \(result) already")
        }
        count += 1
        let words = ["urlfilter"] + arguments.map(ShellWord.quoted)
        let run = Run(
            id: count, title: title, result: result, command: words.joined(separator: " "), state: .waiting)
        runs.append(run)
        runs.removeFirst(max(0, runs.count - Self.mostKept))
        self.arguments[run.id] = arguments
        tell(run)
        next()
        return run
    }

    func stop(_ id: Int) {
        guard let index = runs.firstIndex(where: { $0.id == id }) else { return }
        switch runs[index].state {
        case .waiting: change(id) { ($0.state, $0.code) = (.stopped, 130) }
        case .running, .stopping:
            change(id) { $0.state = .stopping }
            if process?.id == id { process?.run.interrupt() }
        case .done, .stopped, .failed: break
        }
    }

    /// Every change from now on, as server-sent events; first all runs as they are.
    func events() throws(WorkbenchRefusal) -> AsyncStream<String> {
        guard listeners.count < Self.mostListeners else {
            throw WorkbenchRefusal(429, "\(Self.mostListeners) pages listen already; close one")
        }
        count += 1
        let id = count
        let (stream, continuation) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingNewest(256))
        listeners[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.forget(id) }
        }
        for run in runs { continuation.yield(Self.event(run)) }
        // A client that is gone is noticed when something is written to it, and who turns pages fast leaves many.
        Task { [weak self] in
            while await self?.beat(id) == true { try await Task.sleep(for: .seconds(1)) }
        }
        return stream
    }

    /// Ends all streams and the run under way, which can go on later.
    func end() async {
        hasEnded = true
        for listener in listeners.values { listener.finish() }
        for run in runs where run.state == .waiting { change(run.id) { $0.state = .stopped } }
        guard let process else { return }
        process.run.interrupt()
        process.run.interrupt()
        let limit = ContinuousClock.now.advanced(by: Self.patience)
        while self.process != nil, ContinuousClock.now < limit {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    private func forget(_ id: Int) { listeners[id] = nil }

    private func beat(_ id: Int) -> Bool {
        listeners[id]?.yield(": still here\n\n")
        return listeners[id] != nil
    }

    private func next() {
        guard process == nil, !hasEnded, let run = runs.first(where: { $0.state == .waiting }) else { return }
        let id = run.id
        // Lines come from another thread and stay in order.
        let (lines, line) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1_000))
        do {
            let launched = try launcher.launch(arguments[id] ?? [], in: folder) { line.yield($0) }
            process = (id, launched)
            change(id) { $0.state = .running }
            Task {
                for await text in lines { note(id, text) }
            }
            Task {
                let code = await launched.end()
                // What it said last may still be on its way.
                try? await Task.sleep(for: .milliseconds(100))
                line.finish()
                finish(id, code)
            }
        } catch {
            change(id) { run in
                (run.state, run.code) = (.failed, 1)
                run.line = "the program cannot be started: \(error)"
            }
            next()
        }
    }

    private func note(_ id: Int, _ text: String) {
        let text = ForeignText.printable(text).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return }
        change(id) { run in
            run.line = String(text.prefix(400))
            if let match = text.firstMatch(of: #/run (\d+)/(\d+) /#), let done = Double(match.1),
                let all = Double(match.2), all > 0
            {
                run.share = done / all
            }
        }
    }

    private func finish(_ id: Int, _ code: Int32) {
        change(id) { run in
            run.code = code
            // 2 and 4: an objective is missed, or cannot be told: the run itself went well.
            run.state = [0, 2, 4].contains(code) ? .done : code == 130 ? .stopped : .failed
            if run.state == .done { run.share = 1 }
        }
        arguments[id] = nil
        process = nil
        next()
    }

    private func change(_ id: Int, _ body: (inout Run) -> Void) {
        guard let index = runs.firstIndex(where: { $0.id == id }) else { return }
        let before = runs[index]
        body(&runs[index])
        if runs[index] != before { tell(runs[index]) }
    }

    private func tell(_ run: Run) {
        let event = Self.event(run)
        for listener in listeners.values { listener.yield(event) }
    }

    private static func event(_ run: Run) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encodes numbers and texts only, which cannot fail; JSON has no line breaks.
        let data = (try? encoder.encode(run)) ?? Data("{}".utf8)
        return "data: \(String(decoding: data, as: UTF8.self))\n\n"
    }
}

/// A word of a command line as a POSIX shell takes it.
enum ShellWord {
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || "0123456789._-/=:,%+@".unicodeScalars.contains($0))
            }
        return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
