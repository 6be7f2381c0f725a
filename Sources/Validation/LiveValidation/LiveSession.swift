import Decoding
import LiveStack
import Timing

/// One start of the program: calibrations and runs one after the other.
actor LiveSession {
    private let plan: LiveValidationPlan
    private let urlCount: Int
    private let record: LiveRecord
    private let bench: LiveBench
    private let model: ModelRun
    private let frontCores: Int
    private let largestStock: Int
    private let isStopped: @Sendable () -> Bool
    private let progress: @Sendable (String) -> Void
    private let began = ContinuousClock.now
    private let machine = Machine.current
    private var last: StackCalibration?
    private var followerShare: Double?
    private var calibrationCount: UInt32 = 0

    init(
        plan: LiveValidationPlan, urlCount: Int, record: LiveRecord, bench: LiveBench, model: ModelRun,
        frontCores: Int, largestStock: Int, isStopped: @escaping @Sendable () -> Bool,
        progress: @escaping @Sendable (String) -> Void
    ) {
        self.plan = plan
        self.urlCount = urlCount
        self.record = record
        self.bench = bench
        self.model = model
        self.frontCores = frontCores
        self.largestStock = largestStock
        self.isStopped = isStopped
        self.progress = progress
    }

    private var machineName: String { "\(machine.processor), \(machine.cores) cores" }

    func run(_ runs: [LiveValidationPlan.Run], of total: Int) async throws {
        let session = try record.beginSession(machine: machineName)
        progress("settling")
        try await settle()
        for number in 1...plan.firstCalibrations where !isStopped() {
            progress("calibrating, \(number) of \(plan.firstCalibrations)")
            last = try await calibrate(session)
        }
        /// A run of the speed test that waits for the calibration after it.
        var open: (run: LiveValidationPlan.Run, before: StackCalibration, live: LiveObservation)?
        for run in runs {
            guard !isStopped() else { break }
            if run.test == .speed, let waiting = open {
                progress("calibrating after run \(waiting.run.number) of \(total)")
                try await close(waiting.run, waiting.before, waiting.live, session)
                open = nil
            }
            guard !isStopped(), let before = last else { break }
            if let live = try await perform(run, after: before, of: total, session), run.test == .speed {
                open = (run, before, live)
            }
        }
        if let waiting = open, !isStopped() {
            progress("calibrating after run \(waiting.run.number) of \(total)")
            try await close(waiting.run, waiting.before, waiting.live, session)
        }
    }

    /// - Returns: `nil` if it was stopped.
    private func calibrate(_ session: Int64) async throws -> StackCalibration? {
        calibrationCount += 1
        // Only the first has bursts: what a group saves does not change with the machine's speed.
        let bursts = followerShare == nil ? (plan.bursts, 3 * AnsweredGroup.limit) : (0, 0)
        var service = last?.meanService
        if service == nil { service = try await firstService() }
        let rate = plan.calibrationLoad / (service ?? 0.05)
        let (trace, stock) = try trace(
            rate: rate, end: 1 + plan.world.calibrationSeconds, number: 1_000 + calibrationCount,
            bursts: bursts)
        let observed = try await bench.run(
            trace, window: 1...(1 + plan.world.calibrationSeconds), stock: stock, isStopped: isStopped,
            progress: { _ in })
        guard !isStopped() else { return nil }
        var calibration = try StackCalibration(observed, frontCores: frontCores)
        if let followerShare { calibration.followerShare = followerShare }
        followerShare = calibration.followerShare
        try record.save(observed, session: session, at: (ContinuousClock.now - began).seconds, facts: nil)
        return calibration
    }

    private func settle() async throws {
        let (trace, stock) = try trace(
            rate: plan.settlingLoad / (try await firstService()), end: plan.settlingSeconds, number: 998)
        _ = try await bench.run(
            trace, window: 0...plan.settlingSeconds, stock: stock, isStopped: isStopped,
            progress: { _ in })
    }

    /// A few lookups, far apart, to know which rate the calibration can have.
    private func firstService() async throws -> Double {
        let (trace, stock) = try trace(rate: 4, end: 5, number: 999)
        let observed = try await bench.run(
            trace, window: 0...5, stock: stock, isStopped: isStopped, progress: { _ in })
        return observed.meanAlone(\.seconds, followerShare: 1) ?? 0.05
    }

    private func knowledge() throws -> SpeedKnowledge {
        guard let known = SpeedKnowledge(try record.calibrations(machine: machineName)) else {
            throw LiveValidationError.nothingCalibrated(lookups: last?.services.count ?? 0)
        }
        return known
    }

    /// Predicts a run, does it and saves both.
    ///
    /// - Returns: `nil` if it was stopped.
    private func perform(
        _ run: LiveValidationPlan.Run, after calibration: StackCalibration, of total: Int, _ session: Int64
    ) async throws -> LiveObservation? {
        let label =
            "run \(run.number) of \(total), \(run.test.rawValue) test at"
            + " \(Int(saturating: (run.load * 100).rounded())) %"
        var stack = calibration
        var padding: LiveBench.Padding?
        if run.test == .queue {
            padding = .init(service: plan.paddedService, followerShare: plan.paddedFollowerShare)
            stack.services = [plan.paddedService]
            stack.followerShare = plan.paddedFollowerShare
        }
        let rate = run.load * stack.capacity
        let end = plan.warmUp + run.seconds
        let (trace, stock) = try trace(rate: rate, end: end, number: UInt32(run.number))
        progress("\(label): predicting")
        let subject = ModelRun.Subject(
            trace: trace, stock: stock, seconds: run.seconds, seed: plan.world.seed &+ UInt64(run.number))
        switch run.test {
        case .queue: try await predict(.forecast, of: run, subject, stack)
        case .speed:
            let known = try knowledge()
            try await predict(
                .forecast, of: run, subject,
                known.stack(after: calibration, level: calibration.meanService, drifts: 1))
            try await predict(.independent, of: run, subject, calibration)
        }
        guard !isStopped() else { return nil }
        let observed = try await bench.run(
            trace, window: plan.warmUp...end, stock: stock, padding: padding,
            isStopped: isStopped,
            progress: { [progress] in progress("\(label): \(Int($0)) of \(Int(end)) s") })
        guard !isStopped() else { return nil }
        try record.save(
            observed, session: session, at: (ContinuousClock.now - began).seconds,
            facts: .init(
                run: run, rate: rate, calibratedService: stack.meanService,
                followerShare: stack.followerShare))
        return observed
    }

    /// Calibrates, and says what is known afterwards.
    private func close(
        _ run: LiveValidationPlan.Run, _ before: StackCalibration, _ live: LiveObservation, _ session: Int64
    ) async throws {
        guard let after = try await calibrate(session) else { return }
        last = after
        progress("run \(run.number): computing what is known afterwards")
        let (trace, stock) = try trace(
            rate: run.load * before.capacity, end: plan.warmUp + run.seconds, number: UInt32(run.number))
        let subject = ModelRun.Subject(
            trace: trace, stock: stock, seconds: run.seconds, seed: plan.world.seed &+ UInt64(run.number))
        let level = (before.meanService * after.meanService).squareRoot()
        try await predict(
            .nowcast, of: run, subject, try knowledge().stack(after: before, level: level, drifts: 0.5))
        let share = before.followerShare
        guard let own = live.meanAlone(\.seconds, followerShare: share) else { return }
        try await predict(.ownSpeed, of: run, subject, before.with(meanService: own))
        try await predict(
            .replayed, of: run, subject, before, services: live.services(followerShare: share))
    }

    private func predict(
        _ predictor: LiveOutcome.Predictor, of run: LiveValidationPlan.Run, _ subject: ModelRun.Subject,
        _ stack: StackCalibration, services: [Double]? = nil
    ) async throws {
        let found = try await LiveValidation.computed { [model, plan] in
            try model(subject, stack, services: services, replications: plan.world.replications)
        }
        var predictions: [LiveQuantity: LiveOutcome.Prediction] = [:]
        for (place, quantity) in LiveQuantity.allCases.enumerated() {
            predictions[quantity] = LiveOutcome.Prediction(
                found.map { quantity.probability == nil ? $0.answeredPerSecond : $0.quantiles[place] })
        }
        try record.save(predictions, by: predictor, run: run.number)
    }

    private func trace(
        rate: Double, end: Double, number: UInt32, bursts: (count: Int, size: Int) = (0, 0)
    ) throws -> (LookupTrace, stock: Int) {
        let trace = try LookupTrace(
            rate: rate, end: end, bursts: bursts, deviceCount: plan.world.devices, urlCount: urlCount,
            seed: plan.world.seed, number: number)
        let stock = trace.mostPerDevice + 1
        guard stock <= largestStock else {
            throw LiveValidationError.tooManyTokens(stock, limit: largestStock)
        }
        return (trace, stock)
    }
}
