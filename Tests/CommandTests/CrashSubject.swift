import Foundation

/// A command that is ended at random points, and what it promises about its files.
struct CrashSubject: Sendable, CustomStringConvertible {
    let arguments: [String]
    /// Files that hold the same bytes whenever the command has succeeded.
    let results: [String]
    /// Files that are there afterwards, with numbers that differ from run to run: JSON.
    var documents: [String] = []
    /// Results that are JSON, and of which a whole first answer may be there before the last one: chance alone, before
    /// what nobody knows.
    var firstAnswers: [String] = []
    /// Whether results of an earlier run stay until the new ones take their place one by one.
    var replaces = true
    /// Takes seconds, and is disturbed less often.
    var isSlow = false

    var description: String { arguments.joined(separator: " ") }

    /// Every command that writes a file by itself and ends within a second or two.
    static let all = [
        CrashSubject(
            arguments: [
                "bloom", "build", "many.txt", "--seed", "7", "--output", "f.plist", "--raw", "f.bin",
                "--pir-data", "f.txtpb",
            ], results: ["f.plist", "f.bin", "f.txtpb"]),
        CrashSubject(
            arguments: ["trace", "import", "long.csv", "--output", "copy.csv"], results: ["copy.csv"]),
        CrashSubject(
            arguments: ["trace", "import", "long.csv", "--output", "copy.jsonl.gz"],
            results: ["copy.jsonl.gz"]),
        CrashSubject(
            arguments: [
                "trace", "generate", "adult", "--devices", "1", "--duration", "2h", "--output",
                "made.csv.zst",
            ],
            results: ["made.csv.zst"]),
        CrashSubject(
            arguments: ["pir", "process", "many.json"],
            results: (0..<4).flatMap { ["url-\($0).bin", "url-\($0).params.txtpb"] }, replaces: false),
        CrashSubject(
            arguments: [
                "measure", "list.txt", "--speed-time", "0", "--shard-sizes", "50", "--output", "costs.json",
            ], results: [],
            documents: ["costs.json"], isSlow: true),
        CrashSubject(
            arguments: [
                "run", "scenario.yaml", "--profile", "profile.json", "--threads", "2", "--output", "out",
                "--plausible", "4",
            ], results: ["out/summary.json", "out/scenario.resolved.yaml"],
            documents: ["out/manifest.json"], firstAnswers: ["out/summary.json"], replaces: false),
        CrashSubject(
            arguments: [
                "run", "scenario.yaml", "--profile", "profile.json", "--threads", "2", "--output", "out",
                "--vary", "services.pir.cores=1,2,4",
            ], results: ["out/summary.json", "out/scenario.resolved.yaml"],
            documents: ["out/manifest.json"], replaces: false),
    ]

    /// Inputs that take some blocks of a disk.
    static func prepare(_ inputs: SmallInputs) throws {
        try inputs.write((0..<8_000).map { "host\($0).example\n" }.joined(), to: "many.txt")
        let rows = (0..<8_000).map { "\(1_700_000_000 + $0),c\($0 % 9),https://host\($0).example/page\n" }
        try inputs.write("epoch_seconds,client,url\n" + rows.joined(), to: "long.csv")
        let configuration = (inputs.text("pir.json") ?? "").replacing("list.txt", with: "many.txt")
            .replacing("\"shardCount\": 2", with: "\"shardCount\": 4")
        try inputs.write(configuration, to: "many.json")
    }

    /// What is wrong with the files after the command was ended; empty if nothing is.
    ///
    /// - Parameters:
    ///   - before: What the files held before it began.
    ///   - expected: What they hold after a success.
    func problems(
        _ inputs: SmallInputs, before: [String: Data], expected: [String: Data]
    ) -> [String] {
        var problems: [String] = []
        for name in results + documents {
            let data = inputs.data(name)
            if data == before[name] || results.contains(name) && data == expected[name] { continue }
            guard let data else {
                if replaces { problems.append("\(name) is gone") }
                continue
            }
            let mayDiffer = !results.contains(name) || firstAnswers.contains(name)
            if !mayDiffer || !Self.isJSON(data) {
                problems.append("\(name) is half a file of \(data.count) bytes")
            }
        }
        return problems
    }

    /// What is wrong after a success.
    func problemsOfSuccess(_ inputs: SmallInputs, expected: [String: Data], names: [String]) -> [String] {
        results.filter { inputs.data($0) != expected[$0] }.map { "\($0) differs" }
            + documents.filter { !(inputs.data($0).map(Self.isJSON) ?? false) }.map { "\($0) is no document" }
            + Set(inputs.allNames).symmetricDifference(names).sorted().map { "\($0) is there or gone" }
    }

    /// Whether a file comes from the command, and not from the test.
    func made(_ name: String) -> Bool {
        name.hasPrefix("out") || name.hasPrefix("url-")
            || (results + documents).contains { name.hasPrefix($0) }
    }

    private static func isJSON(_ data: Data) -> Bool {
        (try? JSONSerialization.jsonObject(with: data)) != nil
    }
}

extension SmallInputs {
    func data(_ name: String) -> Data? { FileManager.default.contents(atPath: "\(folder)/\(name)") }

    /// Of the folder and everything below it.
    var allNames: [String] {
        (FileManager.default.subpaths(atPath: folder) ?? []).sorted()
    }
}
