import Statistics

/// How far a declaration lies above what was seen. Apple publishes no rule, so all three are assumptions.
package struct DeclarationMargin: Codable, Hashable, Sendable {
    /// Probability that another day stays at or below what is declared, before the other two. In 0.5...0.99999.
    ///
    /// 99.9 %: a day in three years is above.
    package var quantile = 0.999
    /// Devices and requests that will have been added when the declaration is next renewed, as a share.
    package var growth = 0.2
    /// Months of a plan's growth that ``growth`` is; absent where it is a share of its own.
    package var months: Int?
    /// Busiest second and minute over those of the scenario: for crowds that it has none of, such as a push message.
    /// Requests per day do not change with it.
    package var burst = 1.5

    package init() {}
}

/// Numbers to declare for one part of the world: quantile × growth × burst.
package struct Recommendation: Codable, Equatable, Sendable {
    /// `EU` or another code of a continent; `all` for everything.
    package var region: String
    package var perDay: Declared
    package var peakSecond: Declared
    package var peakMinute: Declared

    package var all: [Declared] { [perDay, peakSecond, peakMinute] }

    /// One number of the form.
    package struct Declared: Codable, Equatable, Sendable {
        package enum Basis: String, Codable, Sendable {
            /// One of the observations, by its rank: no law is assumed.
            case rank
            /// Mean and so many standard deviations, for sums and for maxima.
            case normal, gumbel
            /// A value computed from the rates of the day, for a fleet that is larger than what was observed.
            case calculated
            /// Too few observations, or observations without a spread.
            case none
        }

        /// Number to declare, with all margins, rounded up; absent for ``Basis/none``.
        package var value: Double?
        /// Number that another day stays at or below with the stated probability; absent for ``Basis/none``.
        package var quantile: Double?
        package var basis: Basis
        /// Standard deviations of the observations from their mean to the quantile; absent unless a law was assumed.
        package var deviations: Double?
        package var observations: Int
        /// The same number with thirty observations; absent with as many or more.
        package var deviationsOfThirty: Double?
        /// Observations with which no law is needed.
        package var withoutLaw: Int
        /// Mean of the observations, which was declared before quantiles.
        package var mean: Double
    }

    /// Recommendations, one for each region. All continents together ask at least what one of them does, and a minute
    /// what its busiest second does: quantiles of few days need not know that.
    static func all(of traffic: ObservedTraffic, margin: DeclarationMargin) -> [Recommendation] {
        var all = traffic.regions.map { Recommendation($0, margin: margin) }
        for place in all.indices {
            if let minute = all[place].peakMinute.value, let second = all[place].peakSecond.value {
                all[place].peakMinute.value = max(minute, second)
            }
        }
        guard let last = all.indices.last else { return all }
        for path in [\Recommendation.perDay, \.peakSecond, \.peakMinute] {
            let most = all.compactMap { $0[keyPath: path].value }.max()
            if let value = all[last][keyPath: path].value, let most, most > value {
                all[last][keyPath: path].value = most
            }
        }
        return all
    }

    /// - Parameter traffic: Sums of a day are about normal, the busiest of its seconds and minutes follow Gumbel's law.
    private init(_ traffic: ObservedTraffic.Region, margin: DeclarationMargin) {
        region = traffic.name
        let growth = 1 + margin.growth
        perDay = Declared(traffic.perDay, quantile: margin.quantile, law: .normal, factor: growth)
        peakSecond = Declared(
            traffic.peakSecond, quantile: margin.quantile, law: .gumbel, factor: growth * margin.burst)
        peakMinute = Declared(
            traffic.peakMinute, quantile: margin.quantile, law: .gumbel, factor: growth * margin.burst)
    }
}

extension Recommendation.Declared {
    private static let many = 30

    init(
        _ rate: ObservedTraffic.Rate, quantile: Double, law: PredictionBound.Law, factor: Double
    ) {
        // What exceeds a whole number by rounding alone is that number.
        func declared(_ value: Double) -> Double { (value * factor * (1 - 1e-12)).rounded(.up) }
        if let peak = rate.calculated {
            let value = peak.quantile(quantile)
            self.init(
                value: declared(value), quantile: value, basis: .calculated,
                observations: peak.days, withoutLaw: PredictionBound.samplesWithoutLaw(quantile),
                mean: rate.value)
            return
        }
        let bound = PredictionBound(samples: rate.samples, probability: quantile, law: law)
        let basis: (Basis, Double?) =
            switch bound?.basis {
            case nil: (.none, nil)
            case .rank: (.rank, nil)
            case .law(.normal, let deviations): (.normal, deviations)
            case .law(.gumbel, let deviations): (.gumbel, deviations)
            }
        let isFew = basis.1 != nil && rate.samples.count < Self.many
        self.init(
            value: bound.map { declared($0.value) }, quantile: bound?.value,
            basis: basis.0,
            deviations: basis.1, observations: rate.samples.count,
            deviationsOfThirty: isFew
                ? PredictionBound.deviations(law, count: Self.many, probability: quantile) : nil,
            withoutLaw: PredictionBound.samplesWithoutLaw(quantile), mean: rate.value)
    }
}

/// Numbers that cover every kind of day and every system of a declaration: the largest of the sheets, in one region.
package struct DeclarationCover: Codable, Equatable, Sendable {
    package var region: String
    /// Absent where a sheet has none.
    package var perDay: Double?
    package var peakSecond: Double?
    package var peakMinute: Double?
    /// Number of the sheet, from 1, that the busiest second is of; absent with it.
    package var peakSheet: Int?

    /// Covers all sheets, in the order of the first sheet's regions.
    package static func all(of sheets: [DeclarationSheet]) -> [DeclarationCover] {
        let names = sheets.first?.recommendations.map(\.region) ?? []
        return names.map { name in
            let rows = sheets.map { sheet in sheet.recommendations.first { $0.region == name } }
            func largest(_ path: KeyPath<Recommendation, Recommendation.Declared>) -> Double? {
                let values = rows.map { $0?[keyPath: path].value }
                // A day that nobody can tell may be the largest.
                return values.contains(nil) ? nil : values.compactMap(\.self).max()
            }
            let second = largest(\.peakSecond)
            return DeclarationCover(
                region: name, perDay: largest(\.perDay), peakSecond: second,
                peakMinute: largest(\.peakMinute),
                peakSheet: second.flatMap { most in
                    rows.firstIndex { $0?.peakSecond.value == most }.map { $0 + 1 }
                })
        }
    }
}
