import ArgumentParser
import CommandSupport
import Experiment
import Foundation
import Questions
import Scenarios
import URLFilter

/// Costs that a tuning counts, beside the prices that every command takes.
struct TuneCostOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Money per GB of prefilter downloads.", valueName: "money"))
    var priceDownloadGb: Double?

    @Option(help: ArgumentHelp("Money per GB of lookups and tokens, either way.", valueName: "money"))
    var priceServiceGb: Double?

    @Option(help: ArgumentHelp("What a second is worth that a person waits.", valueName: "money"))
    var priceWaitedSecond: Double?

    @Option(
        help: ArgumentHelp(
            "What a page is worth that breaks because no answer came (fail closed).", valueName: "money"))
    var priceBrokenPage: Double?

    @Option(
        help: ArgumentHelp(
            "What a visit to a new entry is worth that is not blocked yet.", valueName: "money"))
    var priceExposedVisit: Double?

    @Option(
        help: ArgumentHelp("How often the list is published (default: 24h).", valueName: "time"),
        transform: DurationOption.parse)
    var republish: Double?

    @Option(
        help: ArgumentHelp("How often a device fetches the prefilter (default: 24h).", valueName: "time"),
        transform: DurationOption.parse)
    var fetch: Double?

    @Option(
        name: .customLong("app-restart"),
        help: ArgumentHelp(
            "Mean time until an app starts again and uses a new prefilter; 0s: at once (default:"
                + " \(UpdateSettings.usualAppRestartHours)h).",
            valueName: "time"),
        transform: DurationOption.parse)
    var restart: Double?

    @Option(
        help: "Share of the devices that are on, in the mean (default: 100%).", transform: ShareOption.parse)
    var activeShare: Double?

    @Option(help: "How fast the list changes: category, threat or none.")
    var churn: UpdateSettings.Churn?

    @Option(
        help: ArgumentHelp(
            "Share of the visits to listed URLs that go to entries which live 10 minutes (default: 60% with"
                + " --churn threat, else none).", valueName: "share"), transform: ShareOption.parse)
    var shortLived: Double?

    @Option(
        help: ArgumentHelp(
            "Requests of the mean day of a year over those of a day of the trace (default: by the weekdays of the"
                + " trace if it has all seven, else 1).", valueName: "factor"))
    var meanDay: Double?

    @Option(help: "Full prefilter downloads of a device per day, if you know better than these four.")
    var downloadsPerDay: Double?

    @Option(name: .customLong("server-cores"), help: "Cores of one server of each service.")
    var cores = 2

    @Option(
        name: .customLong("key-store"),
        help: ArgumentHelp(
            "Where evaluation keys are (default: stored).", valueName: "place"))
    var keyPlace: KeyPlace?

    @Option(
        help: ArgumentHelp("Time from question to answer (default: 350ms).", valueName: "time"),
        transform: DurationOption.parse)
    var answerTime: Double?

    @Option(
        help: "Share of the lookups that get no answer in time (default: 0.1%).", transform: ShareOption.parse
    )
    var unanswered: Double?

    func validate() throws {
        for (name, value) in [
            ("--price-download-gb", priceDownloadGb), ("--price-service-gb", priceServiceGb),
            ("--price-waited-second", priceWaitedSecond), ("--price-broken-page", priceBrokenPage),
            ("--price-exposed-visit", priceExposedVisit),
        ] { try PriceOptions.require(value, name) }
        try NumberOption.require(downloadsPerDay, "--downloads-per-day", in: 0...1_000_000_000)
        try NumberOption.require(meanDay, "--mean-day", in: 0.001...1000)
        try NumberOption.require(cores, "--server-cores", in: 1...1024)
        for (name, value) in [
            ("--active-share", activeShare), ("--unanswered", unanswered), ("--short-lived", shortLived),
        ] {
            try NumberOption.require(value, name, in: 0...1)
        }
        // The least that the system accepts (article "Device", section "Configuration").
        try NumberOption.require(fetch, "--fetch, in seconds,", in: 2700...1e9)
        try NumberOption.require(restart, "--app-restart, in seconds,", in: 0...1e9)
        try NumberOption.require(republish, "--republish, in seconds,", in: 1...1e9)
        try NumberOption.require(answerTime, "--answer-time, in seconds,", in: 0.001...60)
    }

    var prices: [String: Double?] {
        [
            "downloadGigabyte": priceDownloadGb, "egressGigabyte": priceServiceGb,
            "ingressGigabyte": priceServiceGb, "waitedSecond": priceWaitedSecond,
            "brokenPage": priceBrokenPage, "exposedVisit": priceExposedVisit,
        ]
    }

    var editions: EditionPlan {
        EditionPlan(
            republishInterval: republish ?? 86_400, fetchInterval: fetch ?? 86_400,
            configurationRefetch: 6 * 3600, activeShare: activeShare ?? 1,
            dailyNewShare: (churn ?? .category).dailyShare,
            appRestart: restart ?? UpdateSettings.usualAppRestart,
            shortLivedShare: shortLived ?? (churn == .threat ? EditionPlan.usualShortLivedShare : 0),
            givenDownloads: downloadsPerDay)
    }

    /// Names of assumptions that have an option which is given.
    var told: Set<String> {
        Set(
            [("restart", restart != nil), ("short-lived", shortLived != nil)].filter(\.1).map(\.0))
    }

    var waiting: TuningCost.Waiting {
        TuningCost.Waiting(
            answerTime: answerTime ?? TuningObservation.answerTime,
            // A chain of 3.4 requests on 70 (article "Workload", section "One page load").
            pageShare: 3.4 / 70, unansweredShare: unanswered ?? 0.001)
    }

    /// "given" or "assumption", by the keys of the result.
    var sources: [String: String] {
        [
            "republishInterval": republish != nil, "fetchInterval": fetch != nil,
            "appRestart": restart != nil, "activeShare": activeShare != nil,
            "dailyNewShare": churn != nil, "shortLivedShare": shortLived != nil || churn != .threat,
            "downloadsPerDay": downloadsPerDay != nil,
            "keys": keyPlace != nil, "answerTime": answerTime != nil,
            "unansweredShare": unanswered != nil,
        ].mapValues { $0 ? "given" : "assumption" }
    }
}

extension UpdateSettings.Churn: ExpressibleByArgument {}
extension KeyPlace: ExpressibleByArgument {}
