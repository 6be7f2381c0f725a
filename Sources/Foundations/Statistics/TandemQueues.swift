import Foundation

extension QueueingTheory {
    /// Two single servers one after the other, exponential service, Poisson arrivals.
    ///
    /// What leaves the first is Poisson again and the two times are independent (Burke, doi:10.1287/opre.4.6.699;
    /// Reich, doi:10.1214/aoms/1177706889), so the time in both is the sum of two exponential times.
    package struct TandemMM1: Hashable, Sendable {
        package let first: MMc
        package let second: MMc

        /// - Returns: `nil` when one of the servers is loaded fully.
        package init?(arrivalRate: Double, serviceRates: (Double, Double)) throws(QueueingError) {
            guard let first = try MMc(arrivalRate: arrivalRate, serviceRate: serviceRates.0),
                let second = try MMc(arrivalRate: arrivalRate, serviceRate: serviceRates.1)
            else { return nil }
            self.first = first
            self.second = second
        }

        /// Mean time in both.
        package var meanSojourn: Double { first.meanSojourn + second.meanSojourn }

        /// P(time in both > `time`), for a time of 0 or more.
        package func sojournTail(_ time: Double) -> Double {
            let rates = [first, second].map { $0.serviceRate - $0.arrivalRate }.sorted()
            let (slow, gap) = (rates[0], rates[1] - rates[0])
            let both = gap == 0 ? time : -expm1(-gap * time) / gap
            return exp(-rates[1] * time) + rates[1] * exp(-slow * time) * both
        }

        /// Quantile of the time in both. `nil` unless `0 <= probability < 1`.
        package func sojournQuantile(_ probability: Double) -> Double? {
            guard probability >= 0, probability < 1 else { return nil }
            return Inversion.firstDouble(in: 0...Double.greatestFiniteMagnitude) {
                sojournTail($0) <= 1 - probability
            }
        }
    }
}
