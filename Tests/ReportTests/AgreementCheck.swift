import Experiment
import Questions
import Report
import RunMetrics
import Testing
import URLFilter
import Wording

/// One number for one question: what the screen, the details, the page, the sheet, the CSV file and the document say of
/// one run.
enum AgreementCheck {
    private static let counts: [Metric] = [.leaked, .falselyBlocked, .brokenPages]

    static func check(_ result: RunResult) throws {
        let point = result.points[0]
        let places = [
            ("screen", Document(result).text(.brief)), ("details", Document(result).text(.full)),
            ("page", ParsedPage(ReportPage.render(result, manifest: nil)).text),
        ].map { ($0, PrintedNumbers.all(in: $1)) }
        let waits = point.latencyPercentiles.filter { ["p50", "p99"].contains($0.statistic) }
        for found in counts.compactMap({ point[$0] }) + waits where found.value > 0 {
            let number = PrintedNumbers.all(in: Format.bare(found.headline.value, found.unit))
            for (place, numbers) in places {
                #expect(
                    number.isSubset(of: numbers),
                    "\(result.scenario.name), \(place): \(found.words) \(number)")
            }
        }
        try checkSheet(result)
        checkTable(result)
    }

    /// Totals are the sums of their rows, and both are what the document has.
    private static func checkSheet(_ result: RunResult) throws {
        let point = result.points[0]
        guard let traffic = try? ObservedTraffic(result, point), let all = traffic.regions.last else {
            return
        }
        let name = result.scenario.name
        let sum = traffic.endpoints.reduce(0) { $0 + $1.requestsPerDay }
        let saysWhy = traffic.remarks.contains { $0.contains("never come to the relay") }
        #expect(
            abs(sum - all.perDay.value) <= 1e-9 * sum || saysWhy && sum > all.perDay.value,
            "\(name): rows \(sum), total \(all.perDay.value)")
        let continents = traffic.regions.dropLast()
        if !continents.isEmpty {
            let parts = continents.reduce(0) { $0 + $1.perDay.value }
            #expect(abs(parts - all.perDay.value) <= 1e-9 * parts, "\(name): continents \(parts)")
        }
        for endpoint in traffic.endpoints {
            let metrics = Metric.endpoints.first { $0.endpoint.rawValue == endpoint.name }
            #expect(endpoint.request.max == metrics.flatMap { point[$0.request.max] }?.value, "\(name)")
            #expect(endpoint.response?.max == metrics.flatMap { point[$0.response.max] }?.value, "\(name)")
        }
        let sheet = PrintedNumbers.all(
            in: SheetText.render([
                DeclarationSheet(traffic, requestCap: nil, responseCap: nil, hosts: [])
            ]))
        #expect(sheet.contains(Format.whole(all.perDay.value)), "\(name): \(Format.whole(all.perDay.value))")
    }

    /// Every value of the document stands in the table, digit by digit.
    private static func checkTable(_ result: RunResult) {
        let table = Set(
            ResultCSV.render(result).split(whereSeparator: \.isNewline)
                .flatMap { $0.split(separator: ",").map(String.init) }.compactMap(Double.init))
        for metric in result.points[0].metrics where metric.value.isFinite {
            #expect(table.contains(metric.value), "\(result.scenario.name): \(metric.words) \(metric.value)")
        }
    }
}
