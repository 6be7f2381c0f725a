import CoreMetrics
import Decoding
import Synchronization

/// Keeps what was counted, and writes it in the text format of Prometheus.
///
/// swift-metrics asks it for a handler per label and set of dimensions. Recorders are not used here and are kept as
/// histograms of plain numbers. The library swift-prometheus would do; it does not resolve where this package is built
/// and tested (article "Contributing").
final class PrometheusRegistry: MetricsFactory {
    /// A time series: name and sorted labels.
    struct Key: Hashable {
        let name: String
        let labels: String

        init(_ name: String, _ dimensions: [(String, String)]) {
            self.name = name
            labels = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        }

        private static func escaped(_ value: String) -> String {
            value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        }
    }

    private struct State {
        var counters: [Key: CounterSeries] = [:]
        var meters: [Key: MeterSeries] = [:]
        var histograms: [Key: HistogramSeries] = [:]
        var help: [String: String] = [:]
    }

    private let state = Mutex(State())

    init() {}

    /// Says what a metric is, with its unit.
    func describe(_ name: String, _ sentence: String) {
        state.withLock { $0.help[name] = sentence }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(Key(label, dimensions), \.counters, CounterSeries.init)
    }

    func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(Key(label, dimensions), \.counters, CounterSeries.init)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(Key(label, dimensions), \.meters, MeterSeries.init)
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        series(Key(label, dimensions), \.histograms, HistogramSeries.init)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(Key(label, dimensions), \.histograms, HistogramSeries.init)
    }

    // A series stays until the process ends, as Prometheus wants it.
    func destroyCounter(_: any CounterHandler) {}
    func destroyFloatingPointCounter(_: any FloatingPointCounterHandler) {}
    func destroyMeter(_: any MeterHandler) {}
    func destroyRecorder(_: any RecorderHandler) {}
    func destroyTimer(_: any TimerHandler) {}

    private func series<Series: AnyObject & Sendable>(
        _ key: Key, _ path: WritableKeyPath<State, [Key: Series]>, _ make: () -> Series
    ) -> Series {
        state.withLock { state in
            if let known = state[keyPath: path][key] { return known }
            let new = make()
            state[keyPath: path][key] = new
            return new
        }
    }

    /// All series in the text format 0.0.4, in alphabetical order.
    var page: String {
        let state = state.withLock { state in
            (state.counters, state.meters, state.histograms, state.help)
        }
        let (counters, meters, histograms, help) = state
        var families: [String: (kind: String, lines: [String])] = [:]
        func add(_ key: Key, _ kind: String, _ lines: [String]) {
            families[key.name, default: (kind, [])].lines += lines
        }
        for (key, series) in counters { add(key, "counter", [Self.line(key.name, key.labels, series.value)]) }
        for (key, series) in meters { add(key, "gauge", [Self.line(key.name, key.labels, series.value)]) }
        for (key, series) in histograms { add(key, "histogram", series.lines(key)) }
        return families.sorted { $0.key < $1.key }.map { name, family in
            (help[name].map { ["# HELP \(name) \($0)"] } ?? [])
                + ["# TYPE \(name) \(family.kind)"]
                + (family.kind == "histogram" ? family.lines : family.lines.sorted())
        }.joined().map { $0 + "\n" }.joined()
    }

    static func line(_ name: String, _ labels: String, _ value: Double) -> String {
        let number = value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
        let text = value.isNaN ? "NaN" : number
        return labels.isEmpty ? "\(name) \(text)" : "\(name){\(labels)} \(text)"
    }
}

/// A sum that only grows.
final class CounterSeries: CounterHandler, FloatingPointCounterHandler {
    private let sum = Mutex(0.0)

    var value: Double { sum.withLock { $0 } }

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    func increment(by amount: Double) { sum.withLock { $0 += amount } }

    func reset() { sum.withLock { $0 = 0 } }
}

/// A level.
final class MeterSeries: MeterHandler {
    private let level = Mutex(0.0)

    var value: Double { level.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { level.withLock { $0 = value } }

    func increment(by amount: Double) { level.withLock { $0 += amount } }

    func decrement(by amount: Double) { level.withLock { $0 -= amount } }
}

/// Times in seconds, or numbers, by upper bounds.
final class HistogramSeries: TimerHandler, RecorderHandler {
    /// Bounds from a tenth of a millisecond to ten seconds, three per decade: finer than the device's limit of 3 s
    /// needs.
    private static let bounds = [
        0.000_1, 0.000_2, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 10,
    ]

    private struct State {
        /// One more than bounds.
        var counts = [UInt64](repeating: 0, count: bounds.count + 1)
        var sum = 0.0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) { record(Double(nanoseconds: duration)) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let place = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        state.withLock {
            $0.counts[place] += 1
            $0.sum += value
        }
    }

    func preferDisplayUnit(_: TimeUnit) {}

    func lines(_ key: PrometheusRegistry.Key) -> [String] {
        let state = state.withLock { $0 }
        let prefix = key.labels.isEmpty ? "" : key.labels + ","
        var total: UInt64 = 0
        var lines: [String] = []
        for (place, count) in state.counts.enumerated() {
            total += count
            let bound = place < Self.bounds.count ? "\(Self.bounds[place])" : "+Inf"
            lines.append(
                PrometheusRegistry.line("\(key.name)_bucket", "\(prefix)le=\"\(bound)\"", Double(total)))
        }
        lines.append(PrometheusRegistry.line("\(key.name)_sum", key.labels, state.sum))
        lines.append(PrometheusRegistry.line("\(key.name)_count", key.labels, Double(total)))
        return lines
    }
}
