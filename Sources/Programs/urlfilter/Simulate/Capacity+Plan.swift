import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import Foundation
import Questions
import Report
import Workload

/// Options of a plan of servers.
struct PlanArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Devices that are simulated for the demand, in the proportions of the fleet (default: 500, and 5000 unless"
                + " the smallest servers have ample room for those).",
            valueName: "count"), transform: CountOption.parse)
    var sample: Int?

    @Option(
        help: ArgumentHelp(
            "Values of a setting to choose from: services.pir.shards=1,4,16; several make a grid.",
            valueName: "path=values"))
    var vary: [String] = []

    @Flag(
        help: ArgumentHelp(
            "Choose shards, rlweParameters and the prefilter's tolerance, too: 1, 4 or 16 shards, four parameter sets,"
                + " any tolerance from 1e-8 to 0.01 (and, where the list changes, how prefilters are delivered),"
                + " or what --vary names."
        ))
    var search = false

    @Flag(help: "Simulate every combination, not only those that closed forms cannot rule out.")
    var exhaustive = false

    @Option(
        help: ArgumentHelp(
            "Growth of the fleet a month: 5%, 3%..8% (all as likely) or 3%..4%..8% (4% likeliest): says when the next"
                + " servers are due.",
            valueName: "share"),
        transform: { try GrowthOption.parse($0) })
    var growth: GrowthLaw?

    @Option(
        help: ArgumentHelp(
            "How long a launch takes where the scenario does not say (default: 4h, an assumption).",
            valueName: "time"))
    var rollOut: String?

    @Flag(help: "No simulation of launch, restart and the plan itself: the closed forms' answer, soon.")
    var quick = false

    @Option(
        help: ArgumentHelp(
            "Keep simulations that have ended, the answer, the sheets for Apple and the load-test plan there; go on"
                + " there after an interruption.",
            valueName: "directory"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Two pages about the money, to print, and the same as a spreadsheet with formulas beside them (FILE.csv).",
            valueName: "file.html"))
    var budget: String?

    @Option(
        help: ArgumentHelp(
            "Share of what is plausible in which servers may be too small: says which to buy for it (default: 10%, an"
                + " assumption).",
            valueName: "share"),
        transform: ShareOption.parse)
    var risk: Double?

    @Option(
        help: ArgumentHelp(
            "Scenario of another tenant that might share the servers; repeatable, up to 16 tenants.",
            valueName: "scenario"))
    var together: [String] = []

    static let defaultSample = 5_000
    static let defaultRollOut = "4h"

    var isGiven: Bool {
        sample != nil || growth != nil || !vary.isEmpty || rollOut != nil || quick || output != nil || search
            || exhaustive || budget != nil || risk != nil || !together.isEmpty
    }

    func validate() throws {
        if quick, exhaustive {
            throw ValidationError("--quick simulates one combination and --exhaustive all; leave one out")
        }
        let isOfOnePlan =
            search || exhaustive || !vary.isEmpty || growth != nil || output != nil || budget != nil
            || risk != nil
        if !together.isEmpty, isOfOnePlan {
            throw ValidationError(
                "--search, --exhaustive, --vary, --growth, --output, --budget and --risk are about one fleet; leave out"
                    + " --together")
        }
        if quick, rollOut != nil {
            throw ValidationError(
                "--roll-out is the length of a launch, which --quick does not simulate; leave one out")
        }
        if let budget, URL(fileURLWithPath: budget).pathExtension.lowercased() != "html" {
            throw ValidationError("--budget is '\(budget)'; write a file that ends in .html")
        }
        try NumberOption.require(sample, "--sample", in: 1...10_000_000)
        try NumberOption.require(growth?.least, "--growth", in: 0.0001...10)
        try NumberOption.require(risk, "--risk", in: PlanRisk.allowed)
        try NumberOption.require(growth?.most, "--growth", in: 0.0001...10)
    }
}

/// Growth of a month: `5%`; `3%..8%` where it is not known better, or `3%..4%..8%` where 4 % is the likeliest.
enum GrowthOption {
    static func parse(_ text: String) throws -> GrowthLaw {
        let whole = text.hasSuffix("/month") ? String(text.dropLast(6)) : text
        let shares = try whole.split(separator: "..", omittingEmptySubsequences: false)
            .map { try ShareOption.parse(String($0)) }
        guard let least = shares.first, let most = shares.last, shares.count <= 3 else {
            throw ValidationError("--growth is '\(text)'; write for example 5%, 3%..8% or 3%..4%..8%")
        }
        guard let law = GrowthLaw(least: least, likeliest: shares.count == 3 ? shares[1] : nil, most: most)
        else {
            throw ValidationError(
                "--growth is '\(text)', which is not in order; write the smaller share first")
        }
        return law
    }
}

extension Capacity {
    /// The cheapest servers for the whole fleet.
    func planServers() async throws {
        let maker = try ServerPlanMaker(self)
        defer { maker.simulation.end() }
        let result = try await maker.make()
        if let output = planning.output {
            try AtomicFile.write(to: "\(output)/plan.json", isPrivate: true) {
                try $0.write(try JSONText.render(result))
            }
        }
        for page in [planning.output.map { "\($0)/budget.html" }, planning.budget].compactMap(\.self) {
            try writeBudget(result, to: page)
        }
        try answer.show(Document(result), result, json: json, html: html)
        if result.ignorance?.isCutShort == true { throw ExitStatus.interrupted.code }
        if result.best == nil { throw ExitStatus.objectiveMissed.code }
        if result.confirmation == .misses { throw ExitStatus.objectiveMissed.code }
    }

    /// The page, and the spreadsheet beside it.
    private func writeBudget(_ result: ServerPlanResult, to page: String) throws {
        guard let pages = BudgetPage.render(result), let sheet = BudgetSheet.render(result) else { return }
        try AtomicFile.write(to: page, isPrivate: true) { try $0.write(pages) }
        let file = URL(fileURLWithPath: page).deletingPathExtension().appendingPathExtension("csv")
            .relativePath
        try AtomicFile.write(to: file, isPrivate: true) { try $0.write(sheet) }
    }
}
