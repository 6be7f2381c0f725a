import ArgumentParser
import CommandSupport
import Decoding
import DeviceFleet
import Experiment
import Foundation
import Questions
import Report
import Scenarios
import Workload

/// `urlfilter report`: what a run found, again and in another form.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Render a result again: text, JSON, CSV, HTML, a letter, or the sheet for Apple.",
        discussion: """
            Reads a directory that 'run --output' wrote. All forms are made of the same
            stored result; of a run that was killed, of the replications that had ended.
            --html writes one file that needs neither scripts nor a network; of what
            'alternatives --output' wrote it has the other mechanisms, too.
            Of a directory that 'replay --output' wrote: text, JSON, HTML and the sheet; of a
            load test with its verdicts.

            --privacy is one page for parents: who can see what, in plain words. --letter is
            half a page for the principal, the parents or the board. Both say only what
            was derived or computed; with --html they are written as a page.

            --sheet answers Apple's form for the relay: requests per second and per day
            for each continent (devices[NAME].continent in the scenario), message sizes
            per endpoint, what a relay cap would refuse, and warnings for known traps.
            What to declare is what another day stays below with --quantile, times growth,
            peaks times burst. Several directories give a row each, for example an ordinary
            day, a launch day and the day of a restart, and the largest of all.

            Examples:
              urlfilter report results/school
              urlfilter report results/school --percentiles 50,90,99.9 --csv > school.csv
              urlfilter report results/school --html school.html
              urlfilter report results/school --privacy --html who-sees-what.html
              urlfilter report results/school --letter principal
              urlfilter report results/school --sheet --relay-cap 30kB \\
                --host gateway.example.com --host issuer.example.com --host pir.example.com
              urlfilter report results/day results/launch --sheet \\
                --quantile 99% --growth 50%
              urlfilter report replays/friday --sheet --relay-cap 30kB
            """.flowing)

    @Argument(help: "Result directory, or its summary.json; with --sheet several.")
    var directories: [String]

    @Flag(help: "Print the JSON document (urlfilter.result/2, with --sheet urlfilter.sheet/1).")
    var json = false

    @Flag(help: "Print comma-separated values.")
    var csv = false

    @Flag(help: "Print Markdown, for issues and mails.")
    var markdown = false

    @Option(help: ArgumentHelp("Write the report as one HTML file.", valueName: "file"))
    var html: String?

    @Flag(help: "What to declare to Apple.")
    var sheet = false

    @Flag(help: "One page for parents: who can see what.")
    var privacy = false

    @Option(help: "Half a page for the principal, the parents or the board.")
    var letter: Letter.Reader?

    @Option(
        help: ArgumentHelp(
            "Latency percentiles in all forms (default: 50,90,95,99,99.9).", valueName: "list"),
        transform: Self.percentiles)
    var percentiles: [Double]?

    @Option(
        help: ArgumentHelp("Sheet: largest request that the relay forwards.", valueName: "bytes"),
        transform: SizeOption.parse)
    var relayCap: Int?

    @Option(
        help: ArgumentHelp("Sheet: largest response that the relay forwards.", valueName: "bytes"),
        transform: SizeOption.parse)
    var responseCap: Int?

    @Option(
        help: ArgumentHelp(
            "Sheet: probability that another day stays below, 50% to 99.999% (default: 99.9%, an assumption).",
            valueName: "share"), transform: ShareOption.parse)
    var quantile: Double?

    @Option(
        help: ArgumentHelp(
            "Sheet: devices and requests that come until it is renewed (default: 20%, an assumption).",
            valueName: "share"), transform: ShareOption.parse)
    var growth: Double?

    @Option(
        help: "Sheet: crowds that the scenario has none of, times the peaks (default: 1.5, an assumption).")
    var burst: Double?

    @Option(
        name: .customLong("host"),
        help: ArgumentHelp(
            "Sheet: gateway, issuer or service as you would declare it; repeatable.", valueName: "name"))
    var hosts: [String] = []

    func validate() throws {
        guard !(json && csv) else { throw ValidationError("--json and --csv exclude each other") }
        guard !markdown || ![json, csv, sheet].contains(true) else {
            throw ValidationError("--markdown excludes --json, --csv and --sheet")
        }
        let isPlain = privacy || letter != nil
        guard !isPlain || [privacy, letter != nil, sheet, json, csv, markdown].count(where: \.self) == 1
        else {
            throw ValidationError(
                "--privacy and --letter are text or a page (--html), and one at a time: leave the other form out"
            )
        }
        guard html == nil || !sheet else { throw ValidationError("--sheet has no HTML form") }
        let sheetOptions: [Any?] = [relayCap, responseCap, hosts.first, quantile, growth, burst]
        guard sheet || sheetOptions.allSatisfy({ $0 == nil }) else {
            throw ValidationError(
                "--relay-cap, --response-cap, --host, --quantile, --growth and --burst belong to --sheet")
        }
        guard sheet || directories.count == 1 else {
            throw ValidationError("several directories belong to --sheet")
        }
        try NumberOption.require(quantile, "--quantile", in: 0.5...0.99999)
        try NumberOption.require(growth, "--growth", in: 0...100)
        try NumberOption.require(burst, "--burst", in: 1...1_000)
    }

    private var margin: DeclarationMargin {
        var margin = DeclarationMargin()
        margin.quantile = quantile ?? margin.quantile
        margin.growth = growth ?? margin.growth
        margin.burst = burst ?? margin.burst
        return margin
    }

    func run() async throws {
        for directory in directories { try checkFiles(directory) }
        if sheet { return try await printSheets() }
        let directory = directories[0]
        if let replay = try ReplayFiles.read(path: directory) { return try report(replay, in: directory) }
        var result = try await read(directory)
        if let percentiles { result = try result.replacingPercentiles(percentiles) }
        if let page = try plainPage(of: result, in: directory) { return try show(page) }
        if let html {
            let page = try ResultPage.render(result, in: directory)
            try AtomicFile.write(to: html, isPrivate: true) { try $0.write(page) }
        }
        if csv {
            try Terminal.print(ResultCSV.render(result))
        } else if json || html == nil || markdown {
            try AnswerForm(markdown: markdown, json: json).show(Document(result), result)
        }
    }

    /// `nil` if nobody asked for one.
    private func plainPage(of result: RunResult, in directory: String) throws -> PlainPage? {
        do {
            if privacy { return try PrivacyPage.make(result) }
            return try letter.map { reader in
                try Letter.make(
                    result, to: reader, alternatives: ResultFile.alternatives(path: directory))
            }
        } catch let error as PlainPageError {
            throw UnusableInput(directory, "\(error)")
        }
    }

    private func show(_ page: PlainPage) throws {
        guard let html else { return try Terminal.print(page.text) }
        try AtomicFile.write(to: html, isPrivate: true) { try $0.write(page.html) }
    }

    private func printSheets() async throws {
        var observed: [(traffic: ObservedTraffic, day: DayKind?, name: String, run: RunResult?)] = []
        for directory in directories {
            if let replay = try ReplayFiles.read(path: directory) {
                for point in replay.points {
                    observed.append((try ObservedTraffic(replay, point), nil, directory, nil))
                }
                continue
            }
            let result = try await read(directory)
            let architecture = result.scenario.architecture
            guard [.urlFilter, .hashPrefix].contains(architecture) else {
                throw UnusableInput(
                    directory, "architecture \(architecture.rawValue) sends nothing through Apple's relay")
            }
            for (point, name) in zip(result.points, result.dayNames) {
                observed.append((try ObservedTraffic(result, point), DayKind(result, point), name, result))
            }
        }
        let days = Set(observed.compactMap(\.day))
        let sheets = observed.map { one in
            var sheet = DeclarationSheet(
                one.traffic, day: one.day, margin: margin, requestCap: relayCap, responseCap: responseCap,
                hosts: hosts, otherDays: days)
            if let run = one.run { sheet.addIgnorance(of: run) }
            return sheet
        }
        try Terminal.print(
            json
                ? JSONText.render(SheetDocument(sheets: sheets))
                : csv ? SheetCSV.render(sheets) : SheetText.render(sheets, names: observed.map(\.name)))
    }

    private func read(_ directory: String) async throws -> RunResult {
        let database = "\(directory)/results.sqlite"
        guard !ResultFile.isThere(path: directory, name: "summary.json"),
            FileManager.default.fileExists(atPath: database)
        else { return try ResultFile.read(path: directory) }
        let place = try ResultDirectory(path: directory)
        let lock = try place.lock()
        defer { lock.release() }
        let remains = try await Sweep.remains(in: place, version: Program.version) { Terminal.note($0) }
        guard let remains else {
            throw UnusableInput(
                directory,
                "no replication had ended when this run was; go on with 'urlfilter run --resume \(directory)'"
            )
        }
        Terminal.note("this run was killed; go on with 'urlfilter run --resume \(directory)'")
        return remains
    }

    private func checkFiles(_ directory: String) throws(FileConflict) {
        let folder = ResultFile.folder(of: directory)
        var files = FileRoles()
        try files.reads(directory, as: "the result")
        for name in ResultDirectory.documents + ReplayFiles.documents {
            try files.reads("\(folder)/\(name)", as: "the result's \(name)")
        }
        try files.writes(html, as: "--html")
    }

    private func report(_ replay: ReplayResult, in directory: String) throws {
        guard percentiles == nil, !csv, !markdown, !privacy, letter == nil else {
            throw UnusableInput(
                directory,
                "a replay has no such form; --sheet, --json, --html and text are, and seconds.csv beside it")
        }
        let test = try ReplayFiles.readTest(path: directory)
        if let html {
            let page = ReplayPage.render(replay, test: test)
            try AtomicFile.write(to: html, isPrivate: true) { try $0.write(page) }
        }
        if json {
            try Terminal.print(test.map { try JSONText.render($0) } ?? JSONText.render(replay))
        } else if html == nil {
            try Terminal.print(test.map { LoadTestText.render($0) } ?? ReplayText.render(replay))
        }
    }

    private static func percentiles(_ text: String) throws -> [Double] {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        let list = numbers.compactMap(\.self)
        guard !list.isEmpty, list.count == numbers.count, list.allSatisfy({ $0 > 0 && $0 < 100 }) else {
            throw ValidationError("'\(text)' is not a list of percentiles; write for example 50,90,99.9")
        }
        return list
    }
}

extension Letter.Reader: ExpressibleByArgument {}
