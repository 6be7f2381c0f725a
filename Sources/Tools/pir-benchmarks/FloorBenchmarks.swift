import HomomorphicEncryption
import PrivateInformationRetrieval
import RingKernels
import Timing

/// The steps of a response beside what their operations take: counts times the speeds of the kernels, measured in the
/// same run on rows that are in the caches, and the database at the speed at which this machine reads as much memory.
///
/// The distance is what is lost to memory, copies and calls. It shows where to go next, not how fast a kernel is.
enum FloorBenchmarks: BenchmarkSuite {
    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws {
        for entryCount in selection.quick ? [10_000] : [50_000, 200_000] {
            let names = ["expand", "answer", "respond"].map { "floor.\($0).\(entryCount / 1000)k" }
            guard names.contains(where: selection.includes) else { continue }
            let lookup = try Lookup("n_4096_logq_27_28_28_logt_5", entryCount: entryCount)
            try lookup.check()
            try steps(lookup, names, milliseconds: selection.quick ? 2 : 60, &report)
        }
    }

    private static func steps(
        _ lookup: Lookup, _ names: [String], milliseconds: Double, _ report: inout BenchmarkReport
    ) throws {
        let times = try kernelTimes(milliseconds: milliseconds)
        let expansion = ResponseOperations.expansion(lookup.shape, tables: lookup.tableCount, moduli: 2)
        let products = ResponseOperations.products(lookup.shape, tables: lookup.tableCount, moduli: 2)
        let reading = readingTime(byteCount: lookup.databaseByteCount, milliseconds: milliseconds)
        let floors = [expansion.time(times), products.time(times) + reading]
        let expand = try measure(names[0], milliseconds: milliseconds) { try lookup.expand() }
        let respond = try measure(names[2], milliseconds: milliseconds) { try lookup.respond() }
        func add(_ name: String, _ nanoseconds: [Double], floor: Double) {
            report.add(
                .init(
                    name: name, unit: "ms", samples: nanoseconds.map { $0 * 1e-6 },
                    baselineName: "operations", baseline: floor * 1e-6))
        }
        add(names[0], expand.nanoseconds, floor: floors[0])
        add(names[1], [max(0, respond.median - expand.median)], floor: floors[1])
        add(names[2], respond.nanoseconds, floor: floors[0] + floors[1])
        report.notes.append(
            "\(names[2]): dimensions \(lookup.shape.dimensions), \(lookup.tableCount) tables; transforms "
                + "\(expansion.transforms) to expand and \(products.transforms) to answer, "
                + "\(lookup.databaseByteCount >> 10) KiB read")
    }

    /// Nanoseconds of each kernel.
    private static func kernelTimes(milliseconds: Double) throws -> [String: Double] {
        let operations = try RingOperations(RingSize.all[0], rk_best_instruction_set())
        var times: [String: Double] = [:]
        for operation in operations.all {
            times[operation.name] =
                measure(operation.name, milliseconds: milliseconds / 3) { operation.body() }.median
            operations.restore()
        }
        return times
    }

    private static func readingTime(byteCount: Int, milliseconds: Double) -> Double {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 1 << 21)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 1)
        return measure("read", milliseconds: milliseconds) { rk_read_memory(memory.baseAddress, byteCount) }
            .median
    }
}
