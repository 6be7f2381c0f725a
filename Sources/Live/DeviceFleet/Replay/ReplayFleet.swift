import Foundation
import HomomorphicEncryption
package import Parties
import PrivateInformationRetrieval
import Synchronization
import Timing
import URLFilter

/// The devices of a replay, each with its own identity, keys and tokens.
package struct ReplayFleet: Sendable {
    package struct Settings: Sendable {
        package var count: Int
        package var usecase: String
        package var device = LiveDevice.Settings()
        package var prefilter: DevicePrefilter
        /// Handed out in turn; none: each device has one of its own.
        package var userTokens: [String] = []
        /// Tokens that each device gets before the clock starts; nil: the usual stock.
        package var tokens: Int?
        /// Devices that are prepared at the same time.
        package var preparedAtOnce = 16
        /// Over so many seconds the devices begin, one after the other: what each repeats does not fall together then.
        package var preparationSeconds = 0.0
        /// Names of the devices, one for each; none: new ones.
        package var pseudonyms: [String] = []

        package init(count: Int, usecase: String, prefilter: DevicePrefilter) {
            self.count = count
            self.usecase = usecase
            self.prefilter = prefilter
        }

        /// Pseudonyms are new in every run: a server that keeps keys must not take one run for another.
        func identity(_ number: Int, run: UUID) -> DeviceClient.Identity {
            DeviceClient.Identity(
                userIdentifier: pseudonyms.isEmpty
                    ? "\(run.uuidString.lowercased())-\(number)" : pseudonyms[number],
                userToken: userTokens.isEmpty ? "user-\(number)" : userTokens[number % userTokens.count])
        }
    }

    let devices: [LiveDevice]
    let recorder: ReplayRecorder
    package let preparation: ReplayResult.Preparation

    /// Makes the devices and brings each to the point where lookups are possible.
    ///
    /// - Parameter progress: Called with the number of devices that are done.
    /// - Throws: ``DeviceError`` when no device at all could be prepared.
    package init(
        _ settings: Settings, services: DeviceClient.Services, channel: any ExchangeChannel,
        isStopped: @escaping @Sendable () -> Bool, progress: @escaping @Sendable (Int) -> Void
    ) async throws {
        let started = ContinuousClock.now
        let recorder = ReplayRecorder()
        recorder.begin(at: started)
        let run = UUID()
        func device(_ number: Int, _ context: BFVContext?) -> LiveDevice {
            LiveDevice(
                settings.identity(number, run: run), usecase: settings.usecase, services: services,
                channel: channel, settings: settings.device, context: context,
                observer: { recorder.note($0) }, waitObserver: { recorder.noteEnd(of: $0, device: number) })
        }
        var preparation = ReplayResult.Preparation(wanted: settings.count)
        // The first device learns the encryption parameters; the others share what is computed from them.
        let first = device(0, nil)
        try await first.prepare(tokens: settings.tokens)
        await first.load(settings.prefilter)
        let context = try await first.configuration.map { try BFVContext(parameters: $0.encryption) }
        let devices = [first] + (1..<max(1, settings.count)).map { device($0, context) }
        preparation.ready = 1
        var failures: [String: Int] = [:]
        await withTaskGroup(of: String?.self) { group in
            var next = 1
            var done = 1
            func add() {
                guard next < devices.count, !isStopped() else { return }
                let device = devices[next]
                let due = started.advanced(
                    by: .seconds(settings.preparationSeconds * Double(next) / Double(devices.count)))
                next += 1
                group.addTask {
                    try? await Task.sleep(until: due, clock: .continuous)
                    await device.load(settings.prefilter)
                    do {
                        try await device.prepare(tokens: settings.tokens)
                        return nil
                    } catch {
                        return DeviceError(error, at: .config).kind
                    }
                }
            }
            for _ in 0..<settings.preparedAtOnce { add() }
            while let failure = await group.next() {
                if let failure { failures[failure, default: 0] += 1 } else { preparation.ready += 1 }
                done += 1
                progress(done)
                add()
            }
        }
        preparation.failures = failures
        let state = recorder.take()
        preparation.seconds = (ContinuousClock.now - started).seconds
        preparation.exchanges = state.exchanges.count
        preparation.endpoints = ReplayPoint.endpoints(of: state.exchanges)
        self.devices = devices
        self.recorder = recorder
        self.preparation = preparation
    }

    /// Between two rates: what the first one cached would spare the second one work.
    package func resetCaches() async {
        for device in devices { await device.resetCaches() }
    }

    /// Brings every device's stock of tokens to `stock`, so that none is ordered while a run is measured.
    package func stockUp(to stock: Int) async throws {
        for device in devices { try await device.stockUp(to: stock) }
    }

    package func stop() async {
        for device in devices { await device.stop() }
    }
}
