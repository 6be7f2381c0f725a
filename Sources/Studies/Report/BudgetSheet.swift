import Decoding
import FleetModel
import Foundation
package import Questions
import Scenarios

/// The money of a plan as a spreadsheet that calculates: comma-separated values, of which those that follow from others
/// are formulas. Whoever changes a price, an amount or the growth sees what it comes to.
package struct BudgetSheet {
    private var lines: [String] = []
    private let result: ServerPlanResult
    private let plan: ServerPlan
    private let budget: PlanBudget

    /// - Returns: Text after RFC 4180; `nil` for an answer without a plan.
    package static func render(_ result: ServerPlanResult) -> String? {
        guard let plan = result.bestPoint?.plan, let budget = result.budget, !budget.months.isEmpty else {
            return nil
        }
        var sheet = BudgetSheet(result, plan, budget)
        sheet.write()
        return sheet.lines.joined()
    }

    private init(_ result: ServerPlanResult, _ plan: ServerPlan, _ budget: PlanBudget) {
        self.result = result
        self.plan = plan
        self.budget = budget
    }

    /// Content of a cell.
    private enum Cell {
        case text(String)
        case number(Double)
        case formula(String)
        case empty

        var field: String {
            switch self {
            case .text(let text): ForeignText.cell(text)
            case .number(let value): "\(value)"
            case .formula(let formula): "=" + formula
            case .empty: ""
            }
        }
    }

    /// Number of the line that is written next, as a spreadsheet counts.
    private var next: Int { lines.count + 1 }

    private mutating func add(_ cells: Cell...) { add(cells) }

    private mutating func add(_ cells: [Cell]) {
        lines.append(ResultCSV.quoted(cells.map(\.field)))
    }

    private mutating func addHeads(_ heads: String...) { add(heads.map { .text($0) }) }

    private mutating func skipLine() { lines.append(ResultCSV.quoted([])) }

    /// Places of inputs that formulas name.
    private struct Inputs {
        var devices = ""
        var growth = ""
        var lookups = ""
        /// Prices by region, then by item.
        var prices: [String: [MonthlyCost.Item: String]] = [:]
    }

    private mutating func write() {
        add(.text("\(result.scenario): money of the plan in \(result.prices.currency)"))
        add(.text("Columns with formulas follow from inputs and amounts; a month has 30 days of 24 hours"))
        skipLine()
        var inputs = writeInputs()
        writePrices(to: &inputs)
        writeMonth(inputs)
        writeMonths(inputs, servers: writeServers(inputs))
    }

    private mutating func writeInputs() -> Inputs {
        var inputs = Inputs()
        add(.text("INPUTS"), .text("value"))
        inputs.devices = "$B$\(next)"
        add(.text("devices now"), .number(Double(result.devices)))
        inputs.growth = "$B$\(next)"
        add(.text("growth of a month"), .number(budget.growth))
        if let lookups = budget.lookupsPerDeviceMonth {
            inputs.lookups = "$B$\(next)"
            add(.text("lookups of a device in a month"), .number(lookups))
        }
        skipLine()
        return inputs
    }

    private static let priced:
        [(item: MonthlyCost.Item, words: String, path: any KeyPath<Prices.Rates, Double> & Sendable)] = [
            (.cores, "core-hour", \.coreHour), (.memory, "GB of memory, a month", \.memoryGigabyteMonth),
            (.egress, "GB sent", \.egressGigabyte), (.ingress, "GB received", \.ingressGigabyte),
            (.download, "GB of prefilters", \.downloadGigabyte),
            (.storage, "GB stored, a month", \.storageGigabyteMonth),
        ]

    private mutating func writePrices(to inputs: inout Inputs) {
        add([.text("PRICES of a")] + Self.priced.map { .text($0.words) })
        for region in plan.regions {
            let rates = result.prices.rates(in: region.name)
            inputs.prices[region.name ?? ""] = Dictionary(
                uniqueKeysWithValues: Self.priced.enumerated().map { index, price in
                    (price.item, "$\(Self.column(index + 1))$\(next)")
                })
            add([.text(region.name ?? "all")] + Self.priced.map { .number(rates[keyPath: $0.path]) })
        }
        skipLine()
    }

    private static func column(_ index: Int) -> String {
        String(UnicodeScalar(UInt8(ascii: "A") + UInt8(min(max(index, 0), 25))))
    }

    /// Whether the price of a row is the one of the list, and not of a tier, a machine or a commitment.
    private func isListed(_ row: MonthlyCost.Row) -> Bool {
        let rates = result.prices.rates(in: row.region)
        return Self.priced.first { $0.item == row.item }.map { rates[keyPath: $0.path] == row.price } ?? false
    }

    /// The bill of a month with the fleet as it is now.
    private mutating func writeMonth(_ inputs: Inputs) {
        addHeads("A MONTH WITH TODAY'S FLEET", "region", "servers of", "amount", "price", "money")
        let first = next
        for row in plan.cost.rows {
            let listed = isListed(row) ? inputs.prices[row.region ?? ""]?[row.item] : nil
            let price = listed.map { Cell.formula($0) } ?? Cell.number(row.price)
            add(
                .text(row.item.name), .text(row.region ?? "all"), .text(row.service?.name ?? ""),
                .number(row.amount), price,
                .formula("D\(next)*E\(next)"))
        }
        let last = next - 1
        let total = "F\(next)"
        add(.text("all"), .empty, .empty, .empty, .empty, .formula("SUM(F\(first):F\(last))"))
        add(
            .text("a device and month"), .empty, .empty, .empty, .empty,
            .formula("\(total)/\(inputs.devices)"))
        if !inputs.lookups.isEmpty {
            add(
                .text("1000 lookups"), .empty, .empty, .empty, .empty,
                .formula("\(total)/\(inputs.devices)/\(inputs.lookups)*1000"))
        }
        skipLine()
    }

    /// Prices of a core-hour and of a GB of memory that are not those of the list: of whole machines, and of servers
    /// with commitments; and the share of the hours that is paid for as a factor.
    private func price(
        of machines: Machines, in region: String?
    ) -> (core: String?, memory: String?, paid: String) {
        let rates = result.prices.rates(in: region)
        let paid = machines.scaled?.paidShare
        let own = result.prices.servers(
            cores: machines.coresPerInstance, memory: machines.memoryPerInstance, in: region,
            paidShare: paid)
        return (
            own.coreHour == rates.coreHour ? nil : "\(own.coreHour)",
            own.memoryGigabyteMonth == rates.memoryGigabyteMonth ? nil : "\(own.memoryGigabyteMonth)",
            paid.map { "*\($0)" } ?? ""
        )
    }

    /// Machines of each month: their number is the plan's, their money follows.
    ///
    /// - Returns: Lines that they stand in.
    private mutating func writeServers(_ inputs: Inputs) -> ClosedRange<Int> {
        addHeads(
            "SERVERS in month", "region", "servers of", "instances", "cores of each", "GB of each", "money")
        let first = next
        let hours = Int(Prices.hoursPerMonth)
        for month in budget.months {
            for region in month.servers ?? [] {
                let prices = inputs.prices[region.name ?? ""] ?? [:]
                for machines in region.machines {
                    let own = price(of: machines, in: region.name)
                    let memory = own.memory ?? prices[.memory] ?? "0"
                    add(
                        .number(Double(month.first)), .text(region.name ?? "all"),
                        .text(machines.service.name), .number(Double(machines.instances)),
                        .number(Double(machines.coresPerInstance)),
                        .number(Double(gigabytesOf: machines.memoryPerInstance)),
                        .formula(
                            "D\(next)*(E\(next)*\(hours)*\(own.core ?? prices[.cores] ?? "0")"
                                + "+F\(next)*\(memory))\(own.paid)"))
                }
            }
        }
        let last = max(first, next - 1)
        skipLine()
        return first...last
    }

    /// A line for each month: bytes and storage are those of today's fleet, times its growth until the middle.
    private mutating func writeMonths(_ inputs: Inputs, servers: ClosedRange<Int>) {
        let items: [MonthlyCost.Item] = [.egress, .ingress, .download, .storage]
        addHeads(
            "MONTH", "devices in its middle", "servers", "sent", "received", "prefilters", "storage", "all",
            "a device", "1000 lookups", "from", "to")
        let first = next
        let (low, high) = (servers.lowerBound, servers.upperBound)
        for month in budget.months {
            let line = next
            let times = "B\(line)/\(inputs.devices)"
            let bytes = items.map { item in
                let rows = plan.cost.rows.filter { $0.item == item }
                let sum = rows.map { "\($0.amount)*\(inputs.prices[$0.region ?? ""]?[item] ?? "0")" }
                return Cell.formula(sum.isEmpty ? "0" : "(\(sum.joined(separator: "+")))*\(times)")
            }
            add(
                [
                    .number(Double(month.first)),
                    .formula("\(inputs.devices)*(1+\(inputs.growth))^(A\(line)-0.5)"),
                    .formula("SUMIF($A$\(low):$A$\(high),A\(line),$G$\(low):$G$\(high))"),
                ] + bytes + [
                    .formula("SUM(C\(line):G\(line))"), .formula("H\(line)/B\(line)"),
                    inputs.lookups.isEmpty ? .empty : .formula("I\(line)/\(inputs.lookups)*1000"),
                    month.low.map { .number($0) } ?? .empty, month.high.map { .number($0) } ?? .empty,
                ])
        }
        skipLine()
        addHeads("YEAR", "devices on average", "", "", "", "", "", "all", "a device and month")
        for (index, year) in budget.years.enumerated() {
            let (from, to) = (first + year.first - 1, first + year.last - 1)
            add(
                .number(Double(index + 1)), .formula("AVERAGE(B\(from):B\(to))"), .empty, .empty, .empty,
                .empty, .empty, .formula("SUM(H\(from):H\(to))"),
                .formula("H\(next)/SUM(B\(from):B\(to))"))
        }
    }
}
