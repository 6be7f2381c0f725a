import Decoding
import Experiment
import URLFilter
import Workload

/// Hits and lookups of one built prefilter on the traffic.
package struct TuningObservation: Sendable {
    /// Unlisted strings that hit, of all distinct ones.
    package var strayStrings = 0
    package var unlistedStrings = 0
    /// Requests whose URL hit.
    package var hits = 0
    package var lookups = 0
    /// Lookups about URLs without a listed string, among ``lookups``.
    package var strayLookups = 0
    /// Lookups by hour of the trace.
    package var lookupsByHour: [Int]
    /// Keywords of all lookups together.
    package var keywords = 0

    /// Time from question to answer (assumption: a usual verdict latency on a slow uplink). It decides which requests
    /// join a lookup under way, and how long people wait if nobody says otherwise.
    private static let answerDelay: Nanoseconds = 350_000_000
    /// The same time in seconds.
    package static let answerTime = Double(nanoseconds: answerDelay)

    /// Tests every string against the filter, then lets each client's verdict machine meet its requests.
    init(
        _ filter: BloomFilter, traffic: TuningTraffic, digests: [KeyDigest], constants: DeviceConstants
    ) {
        lookupsByHour = Array(repeating: 0, count: traffic.hourCount)
        var doesHit = traffic.isListed
        for (string, digest) in digests.enumerated() where !traffic.isListed[string] {
            unlistedStrings += 1
            if filter.mayContain(digest) {
                doesHit[string] = true
                strayStrings += 1
            }
        }
        let batches = (0..<UInt32(traffic.urlCount)).map { url in
            traffic.strings(of: url).filter { doesHit[Int($0)] }
        }
        var client: UInt32?
        var device = Device(constants)
        for (number, request) in traffic.requests.enumerated() {
            let batch = batches[Int(request.url)]
            guard !batch.isEmpty else { continue }
            hits += 1
            if client != request.client {
                client = request.client
                device = Device(constants)
            }
            let asked = device.check(
                batch, number: RequestNumber(truncatingIfNeeded: number), at: request.time
            ) {
                traffic.isListed[Int($0)]
            }
            if asked > 0 {
                lookups += 1
                lookupsByHour[traffic.hour(of: request)] += 1
                if !batch.contains(where: { traffic.isListed[Int($0)] }) { strayLookups += 1 }
            }
            keywords += asked
        }
    }

    /// One client's caches and lookups under way.
    private struct Device {
        private var machine: VerdictMachine<UInt32>
        private var pending: [(batch: BatchNumber, asked: [UInt32], time: Nanoseconds)] = []

        init(_ constants: DeviceConstants) {
            machine = VerdictMachine(constants: constants, policy: .failOpen)
        }

        /// - Returns: Keywords that are looked up because of this request.
        mutating func check(
            _ batch: [UInt32], number: RequestNumber, at now: Nanoseconds, isListed: (UInt32) -> Bool
        ) -> Int {
            while let first = pending.first, first.time <= now {
                pending.removeFirst()
                _ = machine.answer(first.batch, present: first.asked.map(isListed), at: first.time)
            }
            guard
                case .lookUp(let batch, let asked, _) = machine.check(
                    batch, request: number, at: now, filterIsReady: true)
            else { return 0 }
            pending.append((batch, asked, now + TuningObservation.answerDelay))
            return asked.count
        }
    }
}
