import ArgumentParser
import CommandSupport
import Decoding
import DeviceFleet
import DeviceNetwork
import Foundation
import Questions
import Scenarios
import Workload

/// Sources from which `watch` reads what happens.
struct WatchSourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Address of a Prometheus, or of our own page that ends in /metrics.", valueName: "url"))
    var prometheus: String?

    @Option(
        help: ArgumentHelp(
            "Matchers that pick our servers among what Prometheus knows: 'job=\"urlfilter\"'.",
            valueName: "matchers"))
    var select = ""

    @Option(
        help: ArgumentHelp("How far back a Prometheus is asked.", valueName: "time"),
        transform: DurationOption.parse)
    var since = 86_400.0

    @Option(
        name: .customLong("trust"),
        help: ArgumentHelp(
            "PEM file of certificates to trust besides the system's.", valueName: "file"))
    var certificates: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Access logs of the PIR servers, and of the issuer, or pages of Prometheus.", valueName: "file"))
    var logs: [String] = []

    @OptionGroup var columns: LogColumnOptions

    func validate() throws {
        guard (prometheus == nil) != logs.isEmpty else {
            throw ValidationError("say what to watch: --prometheus URL, or --logs FILE")
        }
        if let prometheus, URL(string: prometheus)?.scheme?.hasPrefix("http") != true {
            throw ValidationError("--prometheus is '\(prometheus)'; write for example http://127.0.0.1:9090")
        }
        guard logs.count <= ServerLogs.maximumFileCount else {
            throw ValidationError("\(logs.count) logs; at most \(ServerLogs.maximumFileCount)")
        }
    }

    var words: String {
        prometheus ?? logs.map { URL(fileURLWithPath: $0).lastPathComponent }.joined(separator: ", ")
    }

    /// - Parameter seconds: Width of a window.
    func reader(window seconds: Double, of scenario: Scenario) throws -> WatchReader {
        guard let prometheus else {
            let options = try columns.settings
            return WatchReader(window: seconds, source: .logs(logs, options, scenario))
        }
        var settings = HTTPCaller.Settings()
        settings.trustedCertificates = certificates
        let caller = try HTTPCaller(settings)
        if prometheus.hasSuffix("/metrics") {
            return WatchReader(window: seconds, source: .page(prometheus, caller))
        }
        let points = Int64(saturating: since / seconds)
        guard points <= PrometheusHistory.mostPoints else {
            throw ValidationError(
                "--since has \(points) windows, and Prometheus tells \(PrometheusHistory.mostPoints) at once; give a"
                    + " longer --window or a shorter --since")
        }
        let base = prometheus.hasSuffix("/") ? String(prometheus.dropLast()) : prometheus
        return WatchReader(
            window: seconds, source: .history(base, select: select, since: Int64(saturating: since), caller))
    }
}

/// Reads all that is known so far, each time it is asked.
struct WatchReader {
    enum Source {
        case logs([String], ServerLogOptions, Scenario)
        /// A page knows only now, so that those of before are kept.
        case page(String, HTTPCaller)
        case history(String, select: String, since: Int64, HTTPCaller)
    }

    let window: Double
    let source: Source
    private var pages: [PrometheusPage] = []

    init(window: Double, source: Source) {
        self.window = window
        self.source = source
    }

    mutating func read(stop: StopFlag, progress: ProgressLine) async throws -> WatchedServers {
        switch source {
        case .logs(let paths, let options, let scenario):
            progress.show("reading \(paths.count) logs")
            return try WatchedServers(logs: paths, options: options, window: window, of: scenario)
        case .history(let base, let select, let since, let caller):
            let step = Int64(saturating: window)
            // The same times each time it is asked.
            let now = Int64(saturating: Date().timeIntervalSince1970) / step * step
            let path = PrometheusHistory.query(select: select, from: now - since, to: now, step: step)
            let answer = try await Self.body(base + path, caller, words: base)
            return WatchedServers(try PrometheusHistory.pages(Data(answer), source: base), window: window)
        case .page(let url, let caller):
            if pages.isEmpty {
                try await add(url, caller)
                progress.show("\(url): its first window ends in \(Int(window)) s")
                try await Pause.seconds(window, until: stop)
            }
            try await add(url, caller)
            return WatchedServers(pages, window: window)
        }
    }

    private mutating func add(_ url: String, _ caller: HTTPCaller) async throws {
        let now = Int64(saturating: Date().timeIntervalSince1970 * 1e3) * 1_000_000
        let body = try await Self.body(url, caller, words: url)
        let read = try PrometheusPages.read(ByteSource(bytes: body, name: url, bounds: .list), fileTime: now)
        guard let page = read.first else { throw UnusableInput(url, "there are no counters on the page") }
        pages.append(page)
        if pages.count > PrometheusPages.maximumCount { pages.removeFirst() }
    }

    private static func body(_ url: String, _ caller: HTTPCaller, words: String) async throws -> [UInt8] {
        let reply: HTTPReply
        do {
            reply = try await caller.call("GET", url, fields: [], body: [])
        } catch {
            throw UnusableInput(words, "\(error)")
        }
        // Prometheus says in the body why it refuses.
        guard reply.status == 200 || reply.status == 400 || reply.status == 422 else {
            throw UnusableInput(words, "answers with status \(reply.status)")
        }
        return reply.body
    }

    /// Connections are closed before the reader goes.
    func close() async {
        switch source {
        case .logs: return
        case .page(_, let caller), .history(_, _, _, let caller): await caller.shutdown()
        }
    }
}

/// A wait that Ctrl-C ends.
enum Pause {
    private static let step = 0.2

    static func seconds(_ seconds: Double, until stop: StopFlag) async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        while !stop.isSet, ContinuousClock.now < end {
            let left = ContinuousClock.now.duration(to: end)
            try await Task.sleep(for: min(left, .seconds(step)))
        }
    }
}
