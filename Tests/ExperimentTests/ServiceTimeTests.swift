import Experiment
import FleetModel
import Foundation
import Questions
import RandomStreams
import Scenarios
import TestSupport
import Testing
import URLFilter

/// Service times that `calibrate` takes from a log, where their law is known because it is drawn here, and lookups
/// queue in order of arrival.
@Suite struct ServiceTimeTests {
    enum Law: CaseIterable {
        case exponential, lognormal

        /// Shape of the lognormal law.
        private static let sigma = 0.8

        /// Quantile of the law with mean 1.
        func quantile(_ share: Double, normal: Double) -> Double {
            switch self {
            case .exponential: -log(1 - share)
            case .lognormal: exp(Self.sigma * normal - Self.sigma * Self.sigma / 2)
            }
        }

        /// Standard deviation of the law with mean 1.
        var deviation: Double {
            switch self {
            case .exponential: 1
            case .lognormal: (exp(Self.sigma * Self.sigma) - 1).squareRoot()
            }
        }
    }

    struct Case: CustomStringConvertible {
        var law: Law
        /// Queues that take turns, and cores of each.
        var instances = 1
        var cores: Int
        var load: Double

        var description: String { "\(law), \(instances) x \(cores) cores, \(load)" }

        static let all: [Self] =
            Law.allCases.flatMap { law in
                [1, 3].flatMap { cores in
                    [0.2, 0.5, 0.7, 0.9].map { Self(law: law, cores: cores, load: $0) }
                }
            } + [Self(law: .exponential, instances: 3, cores: 2, load: 0.5)]
    }

    private static let mean = 0.04

    /// Poisson arrivals at instances that take turns.
    private static func lines(of given: Case, count: Int) -> String {
        var generator = SplitMix64(11)
        func uniform() -> Double { (Double(generator.next() >> 11) + 0.5) * 0x1p-53 }
        func normal() -> Double { (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform()) }
        let pause = mean / (given.load * Double(given.instances * given.cores))
        var free = Array(repeating: Array(repeating: 0.0, count: given.cores), count: given.instances)
        var (time, text) = (0.0, "start,endpoint,status,bytes,duration_s\n")
        for number in 0..<count {
            time -= log(uniform()) * pause
            let service = mean * given.law.quantile(uniform(), normal: normal())
            let instance = number % given.instances
            let core = free[instance].indices.min { free[instance][$0] < free[instance][$1] } ?? 0
            let end = max(time, free[instance][core]) + service
            free[instance][core] = end
            text += "\(1_795_255_200 + time),queries,200,25000,\(end - time)\n"
        }
        return text
    }

    private static func calibration(of given: Case, count: Int) throws -> LoadCalibration {
        let small = try SmallScenario(
            """
            start: steady
            devices: [{ name: pupils, count: 6, browsing: { trace: trace.csv } }]
            services:
              pir: { instances: \(given.instances), cores: \(given.cores), grouping: { limit: 1 }, speed: none }
            """)
        var options = LoadCalibration.Options()
        options.preparation.profile = small.folder.path + "/profile.json"
        return try LoadCalibration(
            ScenarioFile(path: small.folder.path + "/scenario.yaml"),
            observed: [small.folder.write(lines(of: given, count: count), to: "server.csv")], options: options
        ) { _ in }
    }

    /// Within four standard errors, deviation / √n for the mean and √(p (1 - p) / n) for shares. Requests that meet no
    /// other one until they end are shorter by 17 % at a load of 0.2 already, where the law is exponential: 1 / (1 + 0.2).
    @Test(arguments: Case.all) func theLawIsFoundAtAnyLoad(_ given: Case) throws {
        let calibration = try Self.calibration(of: given, count: 24_000)
        let found = try #require(calibration.fit.values.first { $0.name == "time of 'queries'" })
        // As many as a reservoir keeps.
        let samples = Double(min(found.samples, 5_000))
        let error = given.law.deviation / samples.squareRoot()
        #expect(error < 0.04, "so few tell little: \(found.samples)")
        #expect(abs(found.value / Self.mean - 1) < 4 * error, "\(found), error \(error)")
        let low = try #require(found.low)
        let high = try #require(found.high)
        #expect(abs((high - low) / 2 / 1.96 / (error * Self.mean) - 1) < 0.25, "\(found)")

        let kept = try #require(calibration.profile[.queries]?.serviceAnswers.samples)
        for (share, normal) in [(0.5, 0.0), (0.9, 1.2815515655)] {
            let bound = Self.mean * given.law.quantile(share, normal: normal)
            let below = Double(kept.count { Double($0) * 1e-9 <= bound }) / Double(kept.count)
            let tolerance = 4 * (share * (1 - share) / samples).squareRoot() + 1 / Double(kept.count)
            #expect(abs(below - share) < tolerance, "\(share): \(below)")
        }
    }

    /// The server's name cannot stay beside times that are not its own; how it queues, groups and keeps keys does.
    @Test(arguments: ["apple-example", "workbench"])
    func whatALogDoesNotTellIsThatOfTheScenariosServer(name: String) throws {
        let small = try SmallScenario(
            """
            start: steady
            devices: [{ name: pupils, count: 6, browsing: { trace: trace.csv } }]
            services: { pir: { cores: 1, implementation: \(name), speed: none } }
            """)
        var options = LoadCalibration.Options()
        options.preparation.profile = small.folder.path + "/profile.json"
        let given = Case(law: .exponential, cores: 1, load: 0.3)
        let calibration = try LoadCalibration(
            ScenarioFile(path: small.folder.path + "/scenario.yaml"),
            observed: [small.folder.write(Self.lines(of: given, count: 2_500), to: "server.csv")],
            options: options
        ) { _ in }
        let path = small.folder.path + "/fitted.yaml"
        _ = try calibration.write(to: path)
        let (before, after) = (try small.scenario(), try ScenarioResolver.resolve(ScenarioFile(path: path)))
        #expect(after.services.pir.queueTime == before.services.pir.queueTime)
        #expect(after.services.pir.queue == before.services.pir.queue)
        #expect(after.services[.issuer].queue == before.services[.issuer].queue)
        #expect(after.pir.groupLimit == before.pir.groupLimit)
        #expect(after.pir.groupQuestionLimit == before.pir.groupQuestionLimit)
        #expect((after.services.pir.queueTime == nil) == (name == "apple-example"))
        // 400 000 bytes, times the ratio of Apple's example.
        #expect(calibration.profile.evaluationKeyBytes == (name == "apple-example" ? 128_000 : 400_000))
    }

    @Test func aSchemeOfAPaperHasNoLog() throws {
        let small = try SmallScenario(
            """
            start: steady
            devices: [{ name: pupils, count: 6, browsing: { trace: trace.csv } }]
            services: { pir: { cores: 1, implementation: simplepir, speed: none } }
            """)
        var options = LoadCalibration.Options()
        options.preparation.profile = small.folder.path + "/profile.json"
        let log = Self.lines(of: Case(law: .exponential, cores: 1, load: 0.3), count: 100)
        let error = try #require(throws: ObservationProblem.self) {
            try LoadCalibration(
                ScenarioFile(path: small.folder.path + "/scenario.yaml"),
                observed: [small.folder.write(log, to: "server.csv")], options: options
            ) { _ in }
        }
        #expect(error == .onlyModelled("simplepir"))
    }
}
