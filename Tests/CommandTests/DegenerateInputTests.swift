import Foundation
import Testing

/// Files from which no mean, no spread or no logarithm follows, through every command that computes with them.
@Suite struct DegenerateInputTests {
    private static let squid =
        "10.0.0.1 TCP_TUNNEL/200 5000 CONNECT www.example.com:443 - HIER_DIRECT/192.0.2.1 -\n"

    /// What a trace may have too little of.
    static let traces: [(name: String, text: String)] = [
        ("connections only", "1700000000.123 50 " + squid + "1700000001.123 50 " + squid),
        ("one record", "epoch_seconds,client,url\n1700000000,a,https://www.example.com/a\n"),
        (
            "one host",
            "epoch_seconds,client,url\n"
                + (0..<40).map { "\(1_700_000_000 + $0),a,https://www.example.com/\($0)\n" }.joined()
        ),
        (
            "one URL",
            "epoch_seconds,client,url\n"
                + (0..<40).map { "\(1_700_000_000 + $0),a,https://www.example.com/a\n" }.joined()
        ),
        (
            "front pages",
            "epoch_seconds,client,url\n"
                + (0..<40).map { "\(1_700_000_000 + $0),a,https://h\($0).example/\n" }.joined()
        ),
        (
            "addresses",
            "epoch_seconds,client,url\n"
                + (0..<40).map { "\(1_700_000_000 + $0),a,http://192.0.2.\($0)/\n" }.joined()
        ),
        (
            "equal times",
            "epoch_seconds,client,url\n"
                + (0..<40).map { "1700000000,c\($0),https://h\($0).example/p\($0)\n" }.joined()
        ),
        (
            "far apart",
            "epoch_seconds,client,url\n1000000000,a,https://a.example/x\n1100000000,a,https://b.example/y\n"
        ),
        (
            "the end of time",
            "epoch_seconds,client,url\n1,a,https://a.example/x\n9000000000,a,https://b.example/y\n"
        ),
        (
            "huge queries",
            "epoch_seconds,client,url\n1,a,https://a.example/?\(String(repeating: "q", count: 60_000))\n2,a,https://a.example/\n"
        ),
        ("nothing", "epoch_seconds,client,url\n"),
    ]
    static let commands: [[String]] = [
        ["trace", "describe", "trace"], ["trace", "describe", "trace", "--json"],
        ["trace", "describe", "trace", "--fit", "fitted.yaml"],
        ["check", "trace", "--list", "list.txt"], ["bloom", "tune", "list.txt", "--trace", "trace"],
        ["bloom", "tune", "list.txt", "--trace", "trace", "--whole-days"],
        ["trace", "import", "trace", "--output", "out.csv"],
        [
            "run", "scenario.yaml", "--profile", "profile.json", "--set",
            "devices[pupils].browsing.trace=trace", "--set", "seriesInterval=1h", "--plausible", "4",
        ],
        [
            "calibrate", "scenario.yaml", "--observed", "trace", "--profile", "profile.json", "--output",
            "calibrated.yaml",
        ],
    ]

    @Test(arguments: commands) func noTraceIsATrap(_ command: [String]) async throws {
        for trace in Self.traces {
            try await withDirectory { folder in
                let inputs = try SmallInputs(in: folder)
                try inputs.write(trace.text, to: "trace")
                let outcome = try await Program.run(command, in: folder)
                #expect(
                    [0, 2, 4, 64, 65].contains(outcome.status),
                    "\(command) of \(trace.name): \(outcome.status) \(outcome.errors.suffix(300))")
                #expect(
                    outcome.status == 0 || !outcome.errors.isEmpty || !outcome.output.isEmpty,
                    "\(command) of \(trace.name)")
            }
        }
    }

    /// Lists and sizes at the ends of what there is.
    @Test(arguments: [
        ["bloom", "size", "--entries", "1", "--tolerance", "1e-9"],
        ["bloom", "size", "--entries", "1", "--bit-count", "1"],
        ["bloom", "size", "--entries", "4000000000", "--tolerance", "0.5"],
        ["bloom", "size", "--bit-count", "8", "--tolerance", "0.9"],
        ["bloom", "build", "one.txt"], ["bloom", "build", "one.txt", "--tolerance", "1e-18"],
        ["bloom", "build", "one.txt", "--best-seed", "5"], ["lint", "one.txt"],
        ["explain", "https://a.example/", "--list", "one.txt"],
        ["plan", "scenario.yaml", "--no-trial", "--set", "devices[pupils].count=1"],
        ["run", "scenario.yaml", "--profile", "profile.json", "--set", "drain=0s", "--plausible", "4"],
    ])
    func noEndOfARangeIsATrap(_ command: [String]) async throws {
        try await withDirectory { folder in
            let inputs = try SmallInputs(in: folder)
            try inputs.write("a.example\n", to: "one.txt")
            let outcome = try await Program.run(command, in: folder)
            #expect(
                [0, 2, 4, 64, 65].contains(outcome.status),
                "\(command): \(outcome.status) \(outcome.errors.suffix(300))")
        }
    }
}
