import Timing

/// Every suite of this program, in the order in which it runs.
var suites: [any BenchmarkSuite.Type] {
    [
        EngineBenchmarks.self, FilterBenchmarks.self, FleetBenchmarks.self, MeasuredRateBenchmarks.self,
        ReplicationBenchmarks.self,
    ]
}
