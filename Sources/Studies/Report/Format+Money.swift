import Experiment
import Questions
import Scenarios
import Wording

extension Format {
    /// The source of a price, in a few words: an assumption, a public price, "given", or a file.
    static func source(of key: String, in prices: Prices) -> String {
        let source = prices.sources[key] ?? "given"
        if Assumption.isNamed(in: source) { return "assumption" }
        return source.hasPrefix("public") ? "public price" : source
    }

    /// An amount of the prices' currency.
    static func money(_ amount: Double, _ prices: Prices) -> String { "\(prices.currency) \(number(amount))" }

    /// The sum of each kind of row, largest first: `cores 1 200, egress 310`.
    static func items(_ cost: MonthlyCost) -> String {
        MonthlyCost.Item.allCases.map { ($0, cost.total($0)) }.filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
            .map { "\($0.0.name) \(number($0.1))" }.joined(separator: ", ")
    }
}

extension MonthlyCost.Item {
    /// Name of the item as a reader says it.
    package var name: String {
        switch self {
        case .cores: "cores"
        case .memory: "memory"
        case .egress: "sent"
        case .ingress: "received"
        case .download: "prefilters"
        case .origin: "prefilters from the origin"
        case .requests: "fetches"
        case .storage: "storage"
        case .balancer: "load balancers"
        case .zones: "zone to zone"
        case .waiting: "waiting"
        case .brokenPages: "broken pages"
        case .exposure: "exposure"
        }
    }
}
