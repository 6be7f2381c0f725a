import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// `capacity` without `--find`, on two small regions.
struct ServerPlanTests {
    private static let scenario = """
        name: two regions
        seed: 3
        duration: 3h
        warmUp: 1h
        history: 0s
        seriesInterval: 10min
        replications: { min: 2, max: 2 }
        prices: large-cloud
        blocklist: { file: list.txt }
        filter: { falsePositiveTolerance: 0.01 }
        devices:
          - { name: west, count: 400, continent: NA, browsing: { profile: adult, timeZoneHours: 12 } }
          - { name: east, count: 200, continent: EU, os: "iOS27=50%,iOS26=50%", browsing: { profile: adult, timeZoneHours: 12 } }
        services:
          pir: { instances: 2, cores: 2, keyStore: shared }
          regions:
            - { name: west, continent: NA }
            - { name: east, continent: EU }
        objectives:
          - lookup.latency p99 < 20s
          - url.leaked rate < 100%
        """

    private static let command = [
        "capacity", "two.yaml", "--profile", "profile.json", "--sample", "60", "--growth", "5%", "--quiet",
        "--chance-only",
    ]

    @Test func aPlanGoesOnWhereItWasAndLeavesItsPapers() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            try inputs.write(Self.scenario, to: "two.yaml")
            let first = try await Program.run(
                Self.command + ["--output", "plan", "--html", "plan.html"], in: directory)
            #expect(first.status == 0, "\(first.output)\(first.errors)")
            for line in [
                "BUY", "AT THE PEAK", "day of a restart", "launch day", "url.leaked rate < 100%: pass",
            ] {
                #expect(first.output.contains(line), "\(line)")
            }
            // A Monday of adults has 0.204 of a week's visits, and the mean day a seventh (article "Workload").
            let days = try #require(
                first.output.firstMatch(
                    of: #/peaks: busiest weekday \(1\.00 × .*; money: mean day of a week \((0\.\d+) ×\)/#))
            let mean = try #require(Double(days.output.1))
            let seventh = 1 / (7 * 0.204)
            #expect(abs(mean - seventh) < 0.05 * seventh)
            let lines = first.output.split(separator: "\n")
            #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 100 })
            let sheet = try #require(inputs.text("plan/sheet.txt"))
            let rows = ["ordinary day", "launch day, iOS26", "day of a restart, iOS27", "from 60 devices"]
            for row in rows {
                #expect(sheet.contains(row), "\(row)")
            }
            for region in ["west", "east"] {
                let test = try #require(inputs.text("plan/load-test-\(region).yaml"))
                #expect(test.contains("one PIR instance of \(region) with"))
            }
            #expect(
                try #require(inputs.text("plan/plan.yaml")).contains(
                    "'urlfilter capacity' chose for 600 devices"))
            #expect(try await Program.run(["plan", "plan/plan.yaml"], in: directory).status == 0)
            let page = try #require(inputs.text("plan.html"))
            #expect(page.contains("What the money hangs on") && XMLParser(data: Data(page.utf8)).parse())
            // Every simulation is kept: the same question adds none, another one does.
            let parts = inputs.names(in: "plan")
            #expect(parts.count { $0.hasPrefix("part-") } == 3 + 4 + 6)
            let again = try await Program.run(Self.command + ["--output", "plan"], in: directory)
            #expect(again.output == first.output && inputs.names(in: "plan") == parts)
            let other = try await Program.run(
                Self.command + ["--output", "plan", "--seed", "4", "--quick"], in: directory)
            #expect(other.status == 0 && inputs.names(in: "plan").count == parts.count + 1)
            // Five percent a month for a year.
            let document = try #require(inputs.text("plan/sheet.json"))
            #expect(document.contains(#""growth" : 0.79585632"#) && document.contains(#""months" : 12"#))
        }
    }

    @Test func aPointIsChosenByItsSettings() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            try inputs.write(Self.scenario, to: "two.yaml")
            let vary = ["--vary", "filter.falsePositiveTolerance=0.01,0.001", "--quick", "--json"]
            let outcome = try await Program.run(Self.command + vary, in: directory)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
            #expect(json["schema"] as? String == "urlfilter.server-plan/1")
            let points = try #require(json["points"] as? [[String: Any]])
            let best = try #require(json["best"] as? Int)
            let search = try #require(json["search"] as? [String: Any])
            let notCheaper = try #require(search["notCheaper"] as? Int)
            #expect(points.count + notCheaper == 2 && points[best]["plan"] != nil)
            let sensitivity = try #require(json["sensitivity"] as? [String: Any])
            #expect((sensitivity["rows"] as? [Any])?.isEmpty == false)
            // No server shortens the way.
            let missed = try await Program.run(
                Self.command + ["--quick", "--set", "objectives=[lookup.latency p99 < 1ms]"], in: directory)
            #expect(missed.status == 2 && missed.output.contains("NO PLAN meets this: without any wait"))
            let wrong = try await Program.run(
                ["capacity", "two.yaml", "--find", "devices", "--quick"], in: directory)
            #expect(wrong.status == 64 && wrong.errors.contains("leave out --find"))
        }
    }

    /// The same fleet under another name.
    @Test func tenantsAreAskedWhetherTheyShare() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            try inputs.write(Self.scenario, to: "two.yaml")
            try inputs.write(
                Self.scenario.replacing("name: two regions", with: "name: others"), to: "others.yaml")
            let command = [
                "capacity", "two.yaml", "--profile", "profile.json", "--sample", "60", "--quiet", "--quick",
                "--together",
            ]
            let outcome = try await Program.run(
                command + ["others.yaml", "--html", "page.html"], in: directory)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            for words in ["2 tenants", "each its own", "  two regions", "  others", "push, others"] {
                #expect(outcome.output.contains(words), "\(words)")
            }
            let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 25 && lines.allSatisfy { $0.count <= 100 }, "\(outcome.output)")
            let page = try #require(inputs.text("page.html"))
            #expect(XMLParser(data: Data(page.utf8)).parse())
            let twice = try await Program.run(command + ["two.yaml"], in: directory)
            #expect(twice.status == 65 && twice.errors.contains("'two regions' is there twice"))
            let small = try #require(inputs.text("scenario.yaml"))
            try inputs.write(small + "\narchitecture: wholeList\n", to: "whole.yaml")
            let other = try await Program.run(command + ["whole.yaml"], in: directory)
            #expect(other.status == 65 && other.errors.contains("leave this tenant out"), "\(other.errors)")
            for option in [["--growth", "5%"], ["--list", "list.txt"], ["--find", "devices"]] {
                let wrong = try await Program.run(command + ["others.yaml"] + option, in: directory)
                #expect(wrong.status == 64, "\(option)")
            }
        }
    }

    /// Three prefilters times two servers: the search chooses what costs at most 2 % more than the best of all six.
    @Test func theSearchFindsHardlyMoreThanSimulatingEverythingFinds() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            try inputs.write(Self.scenario, to: "two.yaml")
            let space =
                Self.command + [
                    "--vary", "filter.falsePositiveTolerance=0.05,0.01,0.001", "--vary",
                    "services.pir.implementation=workbench,apple-example", "--json",
                ]
            func answer(_ more: String) async throws -> (points: [[String: Any]], best: Int, simulated: Int) {
                let outcome = try await Program.run(space + (more.isEmpty ? [] : [more]), in: directory)
                #expect(outcome.status == 0, "\(outcome.errors)")
                let json = try #require(
                    try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
                let search = try #require(json["search"] as? [String: Any])
                return (
                    try #require(json["points"] as? [[String: Any]]), try #require(json["best"] as? Int),
                    try #require(search["simulated"] as? Int)
                )
            }
            func money(_ point: [String: Any]) -> Double? {
                let plan = point["plan"] as? [String: Any]
                let rows = (plan?["cost"] as? [String: Any])?["rows"] as? [[String: Any]]
                return rows?.reduce(0) {
                    $0 + ($1["amount"] as? Double ?? 0) * ($1["price"] as? Double ?? 0)
                }
            }
            let all = try await answer("--exhaustive")
            #expect(all.points.count == 6 && all.simulated == 6)
            let found = try await answer("--html=plan.html")
            let page = try #require(inputs.text("plan.html"))
            #expect(page.contains("falsePositiveTolerance · implementation. ✓"))
            #expect(page.contains("0.001 · apple-example") && XMLParser(data: Data(page.utf8)).parse())
            #expect(all.points.compactMap(money).min() == money(all.points[all.best]))
            #expect(found.simulated < 6 && found.points[found.best]["isForecast"] as? Bool == false)
            let least = try #require(money(all.points[all.best]))
            // The same point costs the same, whoever found it.
            func settings(_ point: [String: Any]) -> [String: String]? {
                point["settings"] as? [String: String]
            }
            let same = try #require(
                all.points.first { settings($0) == settings(found.points[found.best]) })
            let chosen = try #require(money(same))
            #expect(money(found.points[found.best]) == chosen && chosen * 0.98 <= least)
            let quick = try await answer("--quick")
            #expect(quick.simulated == 1)
        }
    }
}
