import RingKernels
import Timing

/// The scan of a database larger than the caches for several queries in one pass, beside a plain read of the same
/// memory in the same run.
///
/// Rates are database bytes times queries per CPU second. The portable twin gives the first column to compare with.
enum RingScanBenchmarks: BenchmarkSuite {
    private static let rows = 64

    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws {
        guard "ring.scan.".hasPrefix(selection.only) || selection.only.hasPrefix("ring.scan.") else { return }
        let byteCount = selection.quick ? 1 << 23 : 1 << 29
        let database = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 1 << 21)
        defer { database.deallocate() }
        for size in RingSize.all {
            let modulus = size.ciphertextModuli[size.ciphertextModuli.count - 1]
            fill(database, wordBytes: size.wordBytes, below: modulus)
            for queries in [1, 2, 4] {
                let name = "ring.scan.\(size.name).\(queries)"
                guard selection.includes(name) else { continue }
                let columns = byteCount / (size.degree * size.wordBytes * rows)
                let fast = try Scan(size, modulus, columns, queries, rk_best_instruction_set())
                let twin = try Scan(size, modulus, columns, queries, RK_PORTABLE)
                fast.run(database, columns: 1)
                twin.run(database, columns: 1)
                guard fast.firstColumnAgrees(with: twin) else {
                    throw WrongResult(description: "\(name): not the result of the portable twin")
                }
                // Alternating, so that both meet the same neighbours on the machine.
                var (reads, scans): ([Double], [Double]) = ([], [])
                for _ in 0..<(selection.quick ? 3 : 7) {
                    reads.append(
                        Double(byteCount)
                            / Double(
                                CPUClock.measure {
                                    rk_read_memory(database.baseAddress, byteCount)
                                }.nanoseconds))
                    let nanoseconds = CPUClock.measure { fast.run(database, columns: columns) }.nanoseconds
                    scans.append(Double(byteCount * queries) / Double(nanoseconds))
                }
                let reading = Measurement(name: "memory scan", nanoseconds: reads).median
                let target: Double? =
                    size.wordBytes == 4 ? [1: 0.6 * reading, 4: 1.5 * reading][queries] : nil
                report.add(
                    .init(
                        name: name, unit: "GB/s", samples: scans, baselineName: "memory scan",
                        baseline: reading,
                        target: target, largerIsBetter: true))
            }
        }
    }

    private static func fill(_ memory: UnsafeMutableRawBufferPointer, wordBytes: Int, below modulus: UInt64) {
        var state: UInt64 = 1
        if wordBytes == 4 {
            for index in memory.bindMemory(to: UInt32.self).indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1
                memory.storeBytes(
                    of: UInt32((state >> 32) &* modulus >> 32), toByteOffset: index * 4, as: UInt32.self)
            }
        } else {
            for index in memory.bindMemory(to: UInt64.self).indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1
                memory.storeBytes(
                    of: state.multipliedFullWidth(by: modulus).high, toByteOffset: index * 8, as: UInt64.self)
            }
        }
    }
}

/// A scan on one instruction set, with its selectors and results.
private final class Scan {
    private let ring: OpaquePointer
    private let columns: Int
    private let queries: Int
    private let selectors: [RingRow]
    private let results: [RingRow]
    private let prepared: UnsafeMutableRawPointer
    private let rows = 64

    init(
        _ size: RingSize, _ modulus: UInt64, _ columns: Int, _ queries: Int, _ set: rk_instruction_set
    ) throws {
        ring = try makeRing(modulus, degree: size.degree, wordBytes: size.wordBytes, set)
        self.columns = columns
        self.queries = queries
        selectors = (0..<2 * queries * rows).map {
            RingRow(degree: size.degree, wordBytes: size.wordBytes, below: modulus, seed: UInt64($0))
        }
        results = (0..<2 * queries * (set == RK_PORTABLE ? 1 : columns)).map { _ in
            RingRow(degree: size.degree, wordBytes: size.wordBytes, below: 1, seed: 0)
        }
        prepared = .allocate(byteCount: rk_scan_query_bytes(ring, rows, queries), alignment: 64)
        let pointers: [UnsafeRawPointer?] = selectors.map { UnsafeRawPointer($0.pointer) }
        rk_scan_prepare(ring, prepared, pointers, rows, queries)
    }

    deinit {
        rk_ring_destroy(ring)
        prepared.deallocate()
    }

    func run(_ database: UnsafeMutableRawBufferPointer, columns count: Int) {
        let pointers: [UnsafeMutableRawPointer?] = results[..<(2 * queries * count)].map(\.pointer)
        rk_scan(ring, database.baseAddress, columns, rows, 0, count, prepared, queries, pointers)
    }

    /// After a run over one column.
    func firstColumnAgrees(with other: Scan) -> Bool {
        (0..<2 * queries).allSatisfy { results[$0].bytes.elementsEqual(other.results[$0].bytes) }
    }
}
