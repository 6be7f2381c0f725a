import Testing

/// Numbers that the program cannot work with are refused at once, with the range that it can.
struct NumberOptionTests {
    /// Command lines in which `@` is a number, and the numbers.
    static let lines: [(words: [String], numbers: [String])] = [
        (
            [
                "replay trace.csv --against http://127.0.0.1:1 --list list.txt --rate=@",
                "replay trace.csv --against http://127.0.0.1:1 --list list.txt --rates=5,@",
                "replay trace.csv --against http://127.0.0.1:1 --list list.txt --speed=@",
                "validate --live --speed=@x2", "validate --live --queue=@x2",
                "validate --whole-way --load=@",
                "capacity scenario.yaml --find devices --tolerance=@", "bloom build list.txt --tolerance=@",
            ], ["-1", "1e-300", "nan", "inf", "-inf", "1e300"]
        ),
        (
            [
                "compare scenario.yaml --with seed=2 --noise=@",
                "compare scenario.yaml --with seed=2 --confidence=@",
                "bloom tune list.txt --trace trace.csv --price-core-hour=@",
                "trace describe trace.csv --time-zone=@", "report out --sheet --quantile=@",
                "report out --sheet --growth=@", "report out --sheet --burst=@",
                "plan scenario.yaml --load-test --quantile=@", "plan scenario.yaml --load-test --growth=@",
                "plan scenario.yaml --load-test --precision=@",
            ], ["nan", "inf", "-15", "1e300"]
        ),
        (
            ["duration", "warm-up", "ramp", "refetch", "exchange-timeout"].map {
                "replay trace.csv --against http://127.0.0.1:1 --list list.txt --rate 5 --\($0)=@"
            }, ["-1s", "nan", "inf", "1e300s", "5"]
        ),
        (
            [
                "replay trace.csv --against http://127.0.0.1:1 --list list.txt --devices=@",
                "replay trace.csv --against http://127.0.0.1:1 --list list.txt --limit=@",
                "replay trace.csv --against http://127.0.0.1:1 --list list.txt --tokens=@",
                "measure list.txt --shards=@", "measure list.txt --shard-sizes=@",
                "serve all --list list.txt --memory --shards=@",
                "serve all --list list.txt --memory --cores=@",
                "serve all --list list.txt --memory --queue=@", "validate --live --shards=@",
                "validate --live --entries=@", "validate --live --devices=@", "validate --live --speed=0.5x@",
                "validate --theory --customers=@", "run scenario.yaml --threads=@",
                "capacity scenario.yaml --find devices --from=@",
                "capacity scenario.yaml --find devices --to=@",
                "capacity scenario.yaml --find devices --max-replications=@", "sweep work out --line=@",
                "sweep work out --line 1 --threads=@", "sweep collect out --threads=@",
                "sweep manifest scenario.yaml --output out --chunk=@", "pir query pir.json a --repeat=@",
                "bloom tune list.txt --trace trace.csv --seeds=@",
                "bloom tune list.txt --trace trace.csv --devices=@",
                "bloom tune list.txt --trace trace.csv --shards=@",
                "trace generate adult --output t.csv --devices=@",
            ], ["0", "-1", "9223372036854775807", "-9223372036854775808", "4611686018427387904"]
        ),
    ]

    @Test func unusableNumbersAreUsageErrors() async throws {
        try await withSmallInputs { inputs in
            for (lines, numbers) in Self.lines {
                for line in lines.flatMap({ line in numbers.map { line.replacing("@", with: $0) } }) {
                    let outcome = try await Program.run(
                        line.split(separator: " ").map(String.init), on: inputs)
                    #expect(outcome.status == 64, "\(line): \(outcome.errors)")
                    #expect(outcome.errors.hasPrefix("Error: "), "\(line): \(outcome.errors)")
                }
            }
        }
    }

    /// Checked before the points are made: this many need more memory, or time, than there is.
    @Test(arguments: ["--sobol", "--sensitivity"])
    func aDesignThatCannotBeMadeIsRefusedFirst(_ option: String) async throws {
        try await withSmallInputs { inputs in
            for count in ["0", "-5", "15", "100001", "4000000000", "9223372036854775807"] {
                guard option == "--sensitivity" || count != "15" else { continue }
                let outcome = try await Program.run(
                    [
                        "plan", "scenario.yaml", "--no-trial", "--vary", "services.pir.cores=1..9",
                        "\(option)=\(count)",
                    ],
                    on: inputs, prelude: "ulimit -v 4000000;")
                #expect(outcome.status == 65, "\(count): \(outcome.status)")
                let range = option == "--sobol" ? "1...100000" : "16...33333"
                #expect(outcome.errors.contains("it must be in \(range)\n"), "\(outcome.errors)")
            }
        }
    }
}
