import Foundation
import RandomStreams
import Testing
import Timing

#if canImport(Glibc)
    import Glibc
#endif

/// Gives a decoder damaged copies of good inputs. It has to accept or refuse each; a trap ends the process.
///
/// A case is a function of the seeds, the decoder's name and the number of the case. The bytes of the case under way
/// stand in the file `urlfilter-fuzz-<decoder>` of the temporary directory, which is removed at the end: a process that
/// trapped leaves it. Environment:
///
/// - `URLFILTER_FUZZ_SECONDS`: CPU seconds for each decoder, instead of a few hundred cases; prints a line for each.
/// - `URLFILTER_FUZZ_INPUT`: path of such a file, the only case to run.
struct Fuzzer {
    let decoder: StaticString
    /// Cases in a run without `URLFILTER_FUZZ_SECONDS`.
    private let shortRun: UInt32
    private let mutator: Mutator

    /// - Parameters:
    ///   - seeds: Good inputs. Each is tried as it is, too, and must be accepted.
    ///   - words: Pieces that mean something to the decoder.
    ///   - grammar: How the inputs are built, for damage that leaves most of them well-formed; used in every other case.
    init(
        _ decoder: StaticString, seeds: [[UInt8]], words: [String] = [], grammar: (any Grammar.Type)? = nil,
        shortRun: UInt32 = 300
    ) {
        self.decoder = decoder
        self.shortRun = shortRun
        mutator = Mutator(seeds: seeds, words: words.map { Array($0.utf8) }, grammar: grammar)
    }

    init(
        _ decoder: StaticString, texts: [String], words: [String] = [], grammar: (any Grammar.Type)? = nil
    ) {
        self.init(decoder, seeds: texts.map { Array($0.utf8) }, words: words, grammar: grammar)
    }

    /// - Parameter decode: Decodes, and uses what came out in the way the program does.
    func run(_ decode: ([UInt8]) throws -> Void) throws {
        for (number, seed) in mutator.seeds.enumerated() {
            #expect(throws: Never.self, "seed \(number) of \(decoder) is refused") { try decode(seed) }
        }
        if let path = ProcessInfo.processInfo.environment["URLFILTER_FUZZ_INPUT"] {
            return try decode(Array(Data(contentsOf: URL(fileURLWithPath: path))))
        }
        let note = try CaseNote(decoder)
        var tally = Tally(start: CPUClock.nanoseconds())
        while !isOver(tally) {
            let bytes = bytes(ofCase: tally.cases)
            note.write(bytes)
            let before = CPUClock.nanoseconds()
            let result = Result { try decode(bytes) }
            end(result, &tally, from: before, to: CPUClock.nanoseconds())
        }
        end(tally, note)
    }

    /// The same for what waits, and with the CPU time of the whole process.
    func run(_ decode: ([UInt8]) async throws -> Void) async throws {
        for (number, seed) in mutator.seeds.enumerated() {
            await #expect(throws: Never.self, "seed \(number) of \(decoder) is refused") {
                try await decode(seed)
            }
        }
        if let path = ProcessInfo.processInfo.environment["URLFILTER_FUZZ_INPUT"] {
            return try await decode(Array(Data(contentsOf: URL(fileURLWithPath: path))))
        }
        let note = try CaseNote(decoder)
        var tally = Tally(start: CPUClock.processNanoseconds())
        while !isOver(tally) {
            let bytes = bytes(ofCase: tally.cases)
            note.write(bytes)
            let before = CPUClock.processNanoseconds()
            let result: Result<Void, any Error>
            do { result = .success(try await decode(bytes)) } catch { result = .failure(error) }
            end(result, &tally, from: before, to: CPUClock.processNanoseconds())
        }
        end(tally, note)
    }

    private static let seconds = ProcessInfo.processInfo.environment["URLFILTER_FUZZ_SECONDS"]
        .flatMap { Double($0) }

    private func isOver(_ tally: Tally) -> Bool {
        Self.seconds.map { Double(tally.elapsed) * 1e-9 >= $0 } ?? (tally.cases >= shortRun)
    }

    private func end(
        _ result: Result<Void, any Error>, _ tally: inout Tally, from before: Int64, to now: Int64
    ) {
        switch result {
        case .success: tally.accepted += 1
        case .failure(let error):
            if "\(error)".isEmpty { Issue.record("case \(tally.cases) of \(decoder) has no sentence") }
        }
        tally.end(from: before, to: now)
    }

    private func end(_ tally: Tally, _ note: CaseNote) {
        note.remove()
        if Self.seconds != nil { print("fuzz \(decoder): \(tally)") }
        #expect(tally.accepted < tally.cases, "no damage to \(decoder) is ever noticed")
    }

    private func bytes(ofCase number: UInt32) -> [UInt8] {
        var stream = RandomStream(seed: 1, replication: 0, entity: number, purpose: StreamPurpose(decoder))
        return mutator.damaged(using: &stream)
    }

    private struct Tally: CustomStringConvertible {
        /// By the CPU clock, nanoseconds.
        let start: Int64
        private(set) var cases: UInt32 = 0
        var accepted: UInt32 = 0
        /// CPU nanoseconds.
        private(set) var elapsed: Int64 = 0
        private var slowest: (case: UInt32, nanoseconds: Int64) = (0, 0)

        init(start: Int64) { self.start = start }

        mutating func end(from before: Int64, to now: Int64) {
            if now - before > slowest.nanoseconds { slowest = (cases, now - before) }
            elapsed = now - start
            cases += 1
        }

        var description: String {
            let share = Double(accepted) / Double(max(1, cases)) * 100
            let milliseconds = Double(slowest.nanoseconds) * 1e-6
            return String(
                format: "%u cases in %.1f CPU s, %.1f %% accepted, slowest %.2f ms (case %u)", cases,
                Double(elapsed) * 1e-9, share, milliseconds, slowest.case)
        }
    }
}

/// The case under way, where it outlives the process.
private struct CaseNote {
    private let path: String
    private let handle: FileHandle

    init(_ decoder: StaticString) throws {
        let name = "urlfilter-fuzz-\(decoder)".replacing(" ", with: "-")
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw CocoaError(.fileWriteUnknown) }
        self.handle = handle
    }

    func write(_ bytes: [UInt8]) {
        ftruncate(handle.fileDescriptor, 0)
        _ = pwrite(handle.fileDescriptor, bytes, bytes.count, 0)
    }

    func remove() {
        try? handle.close()
        try? FileManager.default.removeItem(atPath: path)
    }
}
