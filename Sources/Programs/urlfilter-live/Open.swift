import ArgumentParser
import CommandSupport
import Foundation
import Logging
import Workbench

/// `urlfilter open`: the workbench in a browser.
struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: LiveVerb.open.abstract,
        discussion: """
            Serves a page to this machine only, prints its address and opens the browser
            where there is one. Ctrl-C ends it; a run under way keeps what it has and can go
            on later.

            The address opens one session: after that the terminal shows another one. On
            another machine, over ssh, give --no-browser and --port and forward that port:
              ssh -L 8090:127.0.0.1:8090 machine

            The page writes scenarios and results into the folder that was opened, and only
            where you click. What a scenario names is read wherever it lies, as 'urlfilter
            run' does.

            Examples:
              urlfilter open
              urlfilter open Scenarios/outage.yaml
              urlfilter open results/school --no-browser --port 8090
            """.flowing)

    @Argument(
        help: ArgumentHelp(
            "Folder, scenario or result to open (default: where you are).", valueName: "path"))
    var path: String?

    @Option(help: "Port of 127.0.0.1 (default: a free one).")
    var port = 0

    @Flag(inversion: .prefixedNo, help: "Open the browser.")
    var browser = true

    func validate() throws {
        try NumberOption.require(port, "--port", in: 0...65_535)
    }

    func run() async throws {
        let opened = try OpenedPath(path ?? ".")
        let base = AddressBox()
        let show: @Sendable (String) -> Void = { Terminal.note("open: \(base.text)/#\($0)") }
        let workbench = Workbench(folder: opened.folder, launcher: ProgramLauncher(program: Self.program)) {
            show("open=\($0)")
        }
        var logger = Logger(label: "workbench")
        logger.logLevel = .error
        Interrupts.leaveToOthers()
        let server = WorkbenchServer(workbench, port: port, logger: logger)
        let fragment = workbench.fragment(page: opened.page)
        let (folder, opensBrowser) = (opened.folder.path, browser)
        try await server.run(trapsSignals: true) { url in
            base.set(url)
            Terminal.note("\(folder) is open to this machine until Ctrl-C")
            show(fragment)
            if opensBrowser { Browser.open("\(url)/#\(fragment)") }
        }
    }

    /// The program that simulates, beside this one.
    private static var program: URL {
        let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        return folder?.appendingPathComponent("urlfilter") ?? URL(fileURLWithPath: "urlfilter")
    }
}
