import EventSimulation
package import FleetModel
import Parties
package import PrivateInformationRetrieval
import Timing
import URLFilter

/// The servers whose descriptions come with this program (article "PIR protocol", section "Other servers").
extension ServerDescription {
    /// Ours, `urlfilter serve`, to which the others are compared.
    package static let workbench: ServerDescription = {
        let serves = ": what `serve` does"
        let saturation = article("Past saturation") + serves
        let groups = article("Groups of lookups") + serves
        var server = ServerDescription(
            name: ServerIdentity.workbench, version: Machine.programVersion,
            obtained: "measured on the machine of the cost profile", groupLimit: PIRParty.groupLimit,
            sources: [
                .keyParsing: article("Evaluation keys at rest") + serves,
                .requestLog: "article \"Servers\": none, unless it is given --access-log",
                .threads: "article \"Servers\": one thread for each core, unless it is given --cores",
                .queue: saturation, .queueSeconds: saturation, .groupLimit: groups, .groupQuestions: groups,
                .followerShare: article("Groups of lookups") + ": measured with the cost profile",
                .keyStore: "assumption: one server keeps keys in memory, several share a store",
                .coldStart: "assumption: none, though \(coldStartSeen)",
                .pauses: "assumption: memory is counted, and nothing collects it",
            ])
        server.keyParsing = .init(at: .atUpload)
        server.queue = .fair
        server.queueSeconds = seconds(PIRParty.queueTime)
        server.groupQuestions = PIRParty.groupQuestionLimit
        return server
    }()

    /// Ours, as it keeps keys by `services.pir.keys`.
    package static func workbench(keys: EvaluationKeyForm) -> ServerDescription {
        var server = workbench
        if keys == .bytes { server.keyParsing = .init(at: .atEveryQuery, cpu: .init(1)) }
        return server
    }

    /// Start of ours: so much slower after it had read its database, as the validation saw it; the time until it is as
    /// fast as ever is an assumption.
    package static let coldStartOfOurs = ColdStart(factor: 1.25, seconds: 120)
    static let coldStartSeen = "ours took a quarter longer in the first minutes (article \"Validation\")"

    package static let shipped = [
        "apple-example": appleExample(
            version: "as shipped", obtained: sideBySide, queries: .init(7.1, 4.4...10)),
        "apple-example-tuned": appleExample(
            version: "cross-module optimisation and the machine's instruction set",
            obtained: sideBySide + "; only queries were measured tuned", queries: .init(4.1, 3.0...4.4)),
    ]

    /// Apple's example. What it does besides answering was read in its code at that commit.
    private static func appleExample(
        version: String, obtained: String, queries: Figure
    ) -> ServerDescription {
        var server = ServerDescription(
            name: "pir-service-example",
            version: "865bbcd on swift-homomorphic-encryption a791290, " + version, obtained: obtained,
            cpu: [
                .queries: queries, .key: .init(0.38, 0.35...0.40), .issue: .init(0.9),
                .config: .init(2.6), .directory: .init(1.9), .tokenKey: .init(0.8),
            ], evaluationKeyBytes: .init(0.32, 0.24...0.42),
            sources: [
                .keyParsing: "PirUsecase.swift makes it ready in `process`; its time is in the ratio",
                .requestLog: "Application+build.swift, level info, and a line for each lookup; in the ratios",
                .threads: "requests are tasks of Swift's pool, which has a thread for each core",
                .queue: "requests are tasks of Swift's pool, and none goes before another",
                .queueSeconds: "no limit in its code", .groupLimit: "PIRServiceController.swift: one by one",
                .groupQuestions: "answered one by one", .followerShare: "answered one by one",
                .keyStore: "assumption: one has them in memory (Application+build.swift), several are given a"
                    + " store that they share",
                .coldStart: "assumption: none; nobody measured it",
                .pauses: "assumption: memory is counted, and nothing collects it",
            ])
        server.keyParsing = .init(at: .atEveryQuery)
        server.requestLog = .init()
        server.queue = .firstCome
        // Of the tool as shipped, in one thread: 4.7 to 5.2 at 50 000 rows, 6.5 to 7.2 at 200 000.
        server.processing = .init(5.8, 4.7...7.2)
        server.processingMemory = .init(1.3, 0.9...1.8)
        return server
    }

    private static let sideBySide =
        "CPU time per request at the port, both servers on one machine in one hour, interleaved (2026-11-22)"

    private static func article(_ section: String) -> String { SettingUsual.source("PIR protocol", section) }

    private static func seconds(_ duration: Duration) -> Double {
        SimulatedDuration.nanoseconds(duration.nanoseconds).seconds
    }
}
