import Experiment
import Questions
import Wording

/// Advice on what to declare, in words.
enum RecommendationText {
    static func lines(of sheet: DeclarationSheet) -> [String] {
        let rows = sheet.recommendations.map { region in
            ["  " + SheetText.name(region.region)] + region.all.map(text)
                + [Format.whole(region.peakSecond.mean), Format.whole(region.peakMinute.mean)]
        }
        return Format.table(
            [
                [
                    "TO DECLARE", "per day", "busiest second", "busiest minute", "mean busiest second",
                    "and minute",
                ]
            ] + rows) + words(sheet).flatMap { Format.wrapped($0, width: 96) }.map { "  " + $0 }
    }

    /// Every sheet of one declaration, a row for each region, and what covers them all.
    static func lines(of sheets: [DeclarationSheet], _ names: [String]) -> [String] {
        var rows = [["DECLARE", "", "per day", "busiest second", "busiest minute"]]
        for (sheet, name) in zip(sheets, names) {
            for (place, region) in sheet.recommendations.enumerated() {
                rows.append(
                    ["  " + (place == 0 ? name : ""), SheetText.name(region.region)] + region.all.map(text))
            }
        }
        for (place, cover) in DeclarationCover.all(of: sheets).enumerated() {
            let values = [cover.perDay, cover.peakSecond, cover.peakMinute]
            rows.append(
                [place == 0 ? "the largest of all rows" : "", SheetText.name(cover.region)]
                    + values.map { $0.map(Format.whole) ?? "cannot tell" })
        }
        return Format.table(rows).map(Format.withoutBlanksAtEnd)
    }

    private static func text(_ declared: Recommendation.Declared) -> String {
        declared.value.map(Format.whole) ?? "cannot tell"
    }

    private static func words(_ sheet: DeclarationSheet) -> [String] {
        let margin = sheet.margin
        let run = days(sheet.traffic.observedSeconds)
        guard let first = sheet.recommendations.first?.peakSecond else { return [] }
        var words = [
            "what another of these \(run) stays at or below with a probability of"
                + " \(Format.plain(margin.quantile * 100)) %, × \(growth(margin)), and the"
                + " peaks × \(Format.plain(margin.burst)) for crowds (--quantile, --growth, --burst; the defaults are"
                + " assumptions)"
        ]
        switch first.basis {
        case .rank: words.append("from \(Format.count(first.observations)) of them by rank, without a law")
        case .gumbel, .normal: words.append(law(first, perDay: sheet.recommendations.first?.perDay))
        case .calculated:
            words.append(
                "calculated for \(Format.count(sheet.traffic.devices, "device")) from the rates of the sample's day;"
                    + " what differs from one of its \(Format.count(first.observations)) days to the next for all"
                    + " devices is in it")
        case .none: break
        }
        return words
    }

    private static func growth(_ margin: DeclarationMargin) -> String {
        guard let months = margin.months else { return "\(Format.plain(1 + margin.growth)) for growth" }
        return "\(Format.number(1 + margin.growth)) for \(Format.count(months, "month")) of the plan's growth"
    }

    private static func law(
        _ peak: Recommendation.Declared, perDay: Recommendation.Declared?
    ) -> String {
        let deviations = Format.number(peak.deviations ?? 0)
        let ofDay = Format.number(perDay?.deviations ?? 0)
        let ofThirty = peak.deviationsOfThirty.map { ", with 30 of them \(Format.number($0))" } ?? ""
        return "from \(Format.count(peak.observations)) of them: peaks are the mean + \(deviations) standard"
            + " deviations\(ofThirty) (Gumbel's law), requests per day the mean + \(ofDay) (normal law); the doubt of"
            + " so few is included; \(Format.count(peak.withoutLaw)) of them need no law"
    }

    private static func days(_ seconds: Double) -> String {
        (85_000...87_800).contains(seconds) ? "days" : "runs of \(Format.duration(seconds))"
    }
}
