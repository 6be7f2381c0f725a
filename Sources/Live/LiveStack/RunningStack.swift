import Synchronization

/// A stack that serves in the background, for tests and for programs that bring their own servers.
///
///     let stack = try await RunningStack.start(LiveStackOptions(coreCount: 2)) { data }
///     // talk to stack.url
///     try await stack.stop()
package final class RunningStack: Sendable {
    /// Base URL, for example `http://127.0.0.1:49152`.
    package let url: String
    /// URL of the metrics; nil if nobody may read them.
    package let metricsURL: String?
    private let stack: LiveStack
    private let task: Task<Void, any Error>

    private init(url: String, metricsURL: String?, stack: LiveStack, task: Task<Void, any Error>) {
        self.url = url
        self.metricsURL = metricsURL
        self.stack = stack
        self.task = task
    }

    /// Returns when requests are served.
    package static func start(
        _ options: LiveStackOptions, load: @escaping @Sendable () throws -> LiveData
    ) async throws -> RunningStack {
        let stack = try await LiveStack(options, load: load)
        let (ready, announcement) = AsyncThrowingStream.makeStream(
            of: (url: String, metricsURL: String?).self)
        let task = Task {
            do {
                try await stack.run { announcement.yield(($0, $1)) }
                announcement.finish()
            } catch {
                announcement.finish(throwing: error)
                throw error
            }
        }
        for try await (url, metricsURL) in ready {
            return RunningStack(url: url, metricsURL: metricsURL, stack: stack, task: task)
        }
        throw CancellationError()
    }

    /// Base URL without the scheme.
    package var authority: String { String(url.drop { $0 != "/" }.drop { $0 == "/" }) }

    /// CPU seconds of a party's own work so far, without HTTP and TLS.
    package func cpuSeconds(of party: Party) -> Double { stack.meter[party] }

    /// Reads the data again.
    package func reload() throws { try stack.reload() }

    /// Finishes requests under way and closes the port.
    package func stop() async throws {
        await stack.stop()
        try await task.value
    }
}
