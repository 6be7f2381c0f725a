import CommandSupport
import Experiment
import Questions
import Scenarios

/// Prefilters that are searched for each database: their tolerance, and with it how they get to devices and how often.
extension ServerPlanMaker {
    /// A design with one of the deliveries that are tried.
    struct Variant {
        var delivery: DeliverySearch.Delivery
        /// Planner with the demand of another prefilter.
        var planner: ServerPlanner
        /// Outline of the prefilter with a tolerance.
        var outlines: (Double) throws -> FilterDesign.Outline
    }

    private static let delivery = Schema.filter.path(\.delivery)
    private static let interval = Schema.filter.path(\.prefilterFetchInterval)
    private static let editions = Schema.updates.path(\.every)

    /// Deliveries that are searched beside the tolerance.
    private func deliveries(of scenario: Scenario) -> DeliverySearch {
        func isFree(_ path: String) -> Bool {
            tolerances == .searched && !command.planning.vary.contains { $0.prefix { $0 != "=" } == path }
        }
        return DeliverySearch(
            scenario, searchesKind: isFree(Self.delivery), searchesInterval: isFree(Self.interval))
    }

    /// Settings of the scenario's own delivery, so that the designs of a search are told by the same ones.
    var ownDelivery: [String: String] {
        let search = deliveries(of: base)
        return settings(of: search.own, search)
    }

    /// Paths of what is searched although it changes the traffic.
    var searchedFetches: Set<String> { deliveries(of: base).searchesInterval ? [Self.interval] : [] }

    private func settings(
        of delivery: DeliverySearch.Delivery, _ search: DeliverySearch
    ) -> [String: String] {
        var settings: [String: String] = [:]
        if search.searchesKind { settings[Self.delivery] = delivery.kind.rawValue }
        if search.searchesInterval {
            settings[Self.interval] = delivery.intervalText
            // Editions come as often as before, also where they would follow the fetches.
            if let editions = search.editionsOfFetches {
                settings[Self.editions] = DeliverySearch.text(editions)
            }
        }
        return settings
    }

    /// A design with every delivery that is tried.
    ///
    /// - Parameter demand: Of another prefilter.
    func variants(of point: DesignPoint, _ demand: FleetDemand) throws -> [Variant] {
        try deliveries(of: point.scenario).deliveries.map { delivery in
            let scenario = delivery.applied(to: point.scenario)
            return Variant(
                delivery: delivery, planner: ServerPlanner(demand, of: scenario, rule: rule),
                outlines: try Preparation.outlines(
                    of: scenario, options: command.options.preparation, sharing: shared,
                    progress: simulation.note))
        }
    }

    /// The design with the tolerance that costs least by its forecasts, and for that with the cheapest delivery; `nil`
    /// if no tolerance meets the rule.
    func tuned(
        _ point: DesignPoint, _ variants: [Variant], _ design: FilterDesign, _ forecast: DemandForecast
    ) throws -> DesignPoint? {
        guard let first = variants.first else { return nil }
        let search = deliveries(of: point.scenario)
        func best(_ tolerance: Double) throws -> (place: Int, planner: ServerPlanner) {
            let outline = try first.outlines(tolerance)
            let demand = forecast(FilterDesign(outline, costs: design.costs))
            func planner(_ place: Int) throws -> ServerPlanner {
                var planner = variants[place].planner
                planner.demand = demand
                if place > 0 {
                    planner.demand.downloadBytesPerDay *=
                        try variants[place].outlines(tolerance).bytesPerDay / max(outline.bytesPerDay, 1)
                }
                return planner
            }
            let place = try search.best { try planner($0).downloadMoney }
            return (place, try planner(place))
        }
        // A prefilter of very many entries cannot have the bits of the smallest tolerances.
        let (finest, coarsest) = (
            ToleranceSearch.usualRange.lowerBound, ToleranceSearch.usualRange.upperBound
        )
        var low = finest
        while low < coarsest, (try? first.outlines(low)) == nil { low *= 10 }
        let found = try ToleranceSearch(range: min(low, coarsest)...coarsest)
            .search { try best($0).planner }
        guard let found else { return nil }
        var point = point
        point.sample = nil
        let setting = ToleranceSearch.setting(found.tolerance)
        let tolerance = Double(setting) ?? found.tolerance
        let chosen = variants[try best(tolerance).place]
        point.settings[Schema.falsePositiveTolerance] = setting
        point.settings.merge(settings(of: chosen.delivery, search)) { $1 }
        point.outline = try chosen.outlines(tolerance)
        point.scenario = try command.options.resolve(
            command.scenario, extra: Self.assignments(point.settings))
        return point
    }
}
