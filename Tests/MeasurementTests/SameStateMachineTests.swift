import FleetModel
import Measurement
import RandomStreams
import Testing
import URLFilter

/// Real and calibrated work must say the same to the same calls: the calibrated one only pretends to compute.
struct SameStateMachineTests {
    /// One call, for a script.
    private enum Call: CustomStringConvertible {
        case startSteadily(device: Int, tokens: Int)
        case restart(Part)
        case begin(Int, ExchangeRequest)
        case open(Int)
        case answer(Int)
        case end(Int)
        case abandon(Int)
        case discard(device: Int, count: Int)
        case forget(device: Int)

        var description: String {
            switch self {
            case .startSteadily(let device, let tokens): "steady start of \(device) with \(tokens)"
            case .restart(let part): "restart \(part)"
            case .begin(let slot, let request):
                "begin \(slot): \(request.endpoint) of \(request.device) at \(request.second)"
            case .open(let slot): "open \(slot)"
            case .answer(let slot): "answer \(slot)"
            case .end(let slot): "end \(slot)"
            case .abandon(let slot): "abandon \(slot)"
            case .discard(let device, let count): "discard \(count) of \(device)"
            case .forget(let device): "forget token key of \(device)"
            }
        }
    }

    private final class Player {
        let work: any ProtocolWork
        private var endpoints: [Int: Endpoint] = [:]

        init(_ work: any ProtocolWork) { self.work = work }

        func play(_ call: Call) throws -> Ending? {
            switch call {
            case .startSteadily(let device, let tokens):
                try work.startSteadily(device: device, tokens: tokens, at: .only)
            case .restart(let part): try work.restart(part, region: 0, instances: nil)
            case .begin(let slot, let request):
                endpoints[slot] = request.endpoint
                _ = try work.deviceBegins(slot, request: request)
            case .open(let slot): _ = try work.gatewayOpens(slot)
            case .answer(let slot):
                _ = try work.serviceAnswers(slot, at: .only)
                _ = try work.gatewaySeals(slot)
            case .end(let slot):
                let outcome = try work.deviceEnds(slot).outcome
                return endpoints[slot].map { Ending($0, outcome) }
            case .abandon(let slot): work.abandon(slot)
            case .discard(let device, let count): work.discardTokens(device: device, oldest: count)
            case .forget(let device): work.forgetTokenKey(device: device)
            }
            return nil
        }
    }

    /// Writes a script as it goes along. Like a device of the fleet it never asks for what it cannot have: it
    /// needs a token key for `/issue`, a token for the PIR endpoints, and does one set-up step at a time.
    private struct Author {
        private struct Device {
            var tokens = 0
            var knowsTokenKey = false
            var hasConfiguration = false
            var hasKey = false
            var isSettingUp = false
            var asksIssuer = false
        }

        private struct Open {
            var device: Int
            var endpoint: Endpoint
            /// 0 begun, 1 opened, 2 answered.
            var stage = 0
        }

        private var stream: RandomStream
        private var devices = Array(repeating: Device(), count: 3)
        private var open: [Int: Open] = [:]
        private var nextSlot = 0
        private var second: Int64 = 0

        init(seed: UInt64) {
            stream = RandomStream(
                seed: seed, replication: 0, entity: 0, purpose: StreamPurpose("test script"))
        }

        mutating func next() -> Call {
            second += stream.index(below: 40) == 0 ? 86_400 : 1
            switch stream.index(below: 300) {
            case 0: return .restart(.issuer)
            case 1...3: return .restart(.pir)
            case 4: return .restart(.gateway)
            case 5:
                let device = stream.index(below: devices.count)
                guard devices[device].tokens > 0 else { return progress() }
                devices[device].tokens -= 1
                return .discard(device: device, count: 1)
            case 6:
                let device = stream.index(below: devices.count)
                guard !devices[device].asksIssuer else { return progress() }
                devices[device].knowsTokenKey = false
                return .forget(device: device)
            case 7...120: return begin() ?? progress()
            default: return progress()
            }
        }

        mutating func startSteadily(_ device: Int, tokens: Int) -> Call {
            devices[device] = Device(
                tokens: tokens, knowsTokenKey: true, hasConfiguration: true, hasKey: true)
            return .startSteadily(device: device, tokens: tokens)
        }

        /// Notes how an exchange ended.
        mutating func learn(_ slot: Int, _ ending: Ending?) {
            guard let exchange = open.removeValue(forKey: slot) else { return }
            let succeeded = ending?.status == 200
            let device = exchange.device
            switch exchange.endpoint {
            case .directory: devices[device].asksIssuer = false
            case .tokenKey:
                devices[device].asksIssuer = false
                if succeeded { devices[device].knowsTokenKey = true }
            case .issue:
                if succeeded { devices[device].tokens += 1 }
                // The device will ask the directory again.
                if ending?.status == 422 { devices[device].knowsTokenKey = false }
            case .config:
                devices[device].isSettingUp = false
                if succeeded { devices[device].hasConfiguration = true }
            case .key:
                devices[device].isSettingUp = false
                if succeeded { devices[device].hasKey = true }
            case .queries, .report: break
            }
        }

        private mutating func begin() -> Call? {
            let index = stream.index(below: devices.count)
            let device = devices[index]
            var choices: [Endpoint] = []
            if !device.asksIssuer { choices += [.directory, .tokenKey] }
            if device.knowsTokenKey { choices += [.issue, .issue, .issue, .issue] }
            if device.tokens > 0 {
                if !device.isSettingUp { choices += [.config] }
                if !device.isSettingUp, device.hasConfiguration { choices += [.key] }
                if device.hasKey { choices += [.queries, .queries, .queries] }
            }
            guard !choices.isEmpty else { return nil }
            let endpoint = choices[stream.index(below: choices.count)]
            switch endpoint {
            case .directory, .tokenKey: devices[index].asksIssuer = true
            case .issue: break
            case .config, .key:
                devices[index].isSettingUp = true
                devices[index].tokens -= 1
            case .queries, .report: devices[index].tokens -= 1
            }
            var keys: [UInt64] = []
            if endpoint == .queries {
                keys = (0...stream.index(below: 2)).map {
                    UInt64($0) * 1_000 + UInt64(stream.index(below: 200))
                }
            }
            nextSlot += 1
            open[nextSlot] = Open(device: index, endpoint: endpoint)
            return .begin(
                nextSlot, RealWork.request(endpoint, device: index, keys: keys, second: second))
        }

        private mutating func progress() -> Call {
            let slots = open.keys.sorted()
            guard !slots.isEmpty else { return begin() ?? .restart(.relay) }
            let slot = slots[stream.index(below: slots.count)]
            if stream.index(below: 25) == 0 { return .abandon(slot) }
            let stage = open[slot]?.stage ?? 0
            open[slot]?.stage += 1
            return stage == 0 ? .open(slot) : stage == 1 ? .answer(slot) : .end(slot)
        }
    }

    @Test("any script has the same endings", arguments: UInt64(1)...6)
    func randomScript(seed: UInt64) throws {
        let real = Player(try Lists.real(devices: 3, tokensPerUserPerDay: 12, seed: seed))
        let calibrated = Player(try Lists.calibrated(devices: 3, tokensPerUserPerDay: 12))
        var author = Author(seed: seed)
        var seen: [Int: Int] = [:]
        var script: [String] = []
        // The third device starts cold.
        let opening = [author.startSteadily(0, tokens: 10), author.startSteadily(1, tokens: 3)]
        for number in 0..<1_200 {
            let call = number < opening.count ? opening[number] : author.next()
            script.append("\(call)")
            let truth = try real.play(call)
            let pretence = try calibrated.play(call)
            guard truth == pretence || Self.isNonsenseThatLooksEmpty(truth, pretence) else {
                Issue.record(
                    "real: \(String(describing: truth)), calibrated: \(String(describing: pretence)) after \(script.suffix(40).joined(separator: "; "))"
                )
                return
            }
            if let truth { seen[truth.status, default: 0] += 1 }
            switch call {
            case .end(let slot), .abandon(let slot): author.learn(slot, truth)
            default: break
            }
        }
        #expect(seen[200, default: 0] > 100, "the script is about nothing: \(seen)")
    }

    /// An answer computed with another key decrypts to random bytes. They are no bucket, except when their first
    /// byte, the number of slots, is 0: then real work reads "absent", about once in 256 such answers.
    private static func isNonsenseThatLooksEmpty(_ truth: Ending?, _ pretence: Ending?) -> Bool {
        guard let truth, let pretence, pretence.endpoint == .queries, pretence.status == 0 else {
            return false
        }
        return truth.status == 200 && !truth.present.contains(true)
    }

    /// Three requests begun on a day, and three of the next day that overtake them: those of yesterday count for today,
    /// and so do not give the user another day's tokens.
    @Test func requestsOfYesterdayCountForToday() throws {
        let players = [
            Player(try Lists.real(tokensPerUserPerDay: 3)),
            Player(try Lists.calibrated(tokensPerUserPerDay: 3)),
        ]
        for player in players {
            try player.work.startSteadily(device: 0, tokens: 1, at: .only)
            func play(_ slots: ClosedRange<Int>, _ calls: (Int) -> [Call]) throws -> [Int] {
                try slots.flatMap(calls).compactMap { try player.play($0)?.status }
            }
            func begin(_ slot: Int, second: Int64) -> Call {
                .begin(slot, RealWork.request(.issue, device: 0, keys: [], second: second))
            }
            func finish(_ slot: Int) -> [Call] { [.open(slot), .answer(slot), .end(slot)] }
            _ = try play(1...3) { [begin($0, second: 86_399)] }
            let today = try play(4...6) { [begin($0, second: 86_400)] + finish($0) }
            #expect(today == [200, 200, 200])
            #expect(try play(1...3, finish) == [429, 429, 429])
            let more = try play(7...7) { [begin($0, second: 86_401)] + finish($0) }
            #expect(more == [429])
        }
    }

    /// Before, real services refused such tokens at once, whatever the scenario said.
    @Test func tokensOfAnEarlierKeyAreTakenAsLongAsItIsKept() throws {
        let works: [any ProtocolWork] = [
            try Lists.real(secondsTokenKeysKept: 60), try Lists.calibrated(secondsTokenKeysKept: 60),
        ]
        for work in works {
            try work.startSteadily(device: 0, tokens: 4, at: .only)
            #expect(try work.ask(.queries, keys: [3], second: 100).ending.status == 200)
            try work.restart(.issuer, region: 0, instances: nil)
            let statuses = try [101, 159, 160].map { second in
                try work.ask(.queries, keys: [3], second: second).ending.status
            }
            #expect(statuses == [200, 200, 401])
            #expect(try work.ask(.issue, second: 161).ending.status == 422)
        }
    }

    /// A lookup of a configuration that is gone, alone and with something else that is wrong.
    @Test func theFirstThingThatIsWrongIsTheAnswer() throws {
        let works: [any ProtocolWork] = [try Lists.real(), try Lists.calibrated()]
        for work in works {
            func status(second: Int64) throws -> Int {
                let request = RealWork.request(.queries, device: 0, keys: [3], second: second)
                _ = try work.deviceBegins(1, request: request)
                _ = try work.gatewayOpens(1)
                try work.withdrawConfiguration(of: 1)
                #expect(try work.serviceAnswers(1, at: .only).isRefusal)
                _ = try work.gatewaySeals(1)
                return Ending(.queries, try work.deviceEnds(1).outcome).status
            }
            try work.startSteadily(device: 0, tokens: 4, at: .only)
            #expect(try status(second: 1) == 410)
            #expect(try work.ask(.queries, keys: [3], second: 2).ending.present == [true])
            try work.restart(.pir, region: 0, instances: nil)
            #expect(try status(second: 3) == 400)
            try work.restart(.issuer, region: 0, instances: nil)
            #expect(try status(second: 4) == 401)
        }
    }

    @Test func everyKindOfRefusalComesUpTheSame() throws {
        let real = try Lists.real(tokensPerUserPerDay: 3)
        let calibrated = try Lists.calibrated(tokensPerUserPerDay: 3)
        func both(_ endpoint: Endpoint, keys: [UInt64] = [], second: Int64) throws -> Ending {
            let truth = try real.ask(endpoint, keys: keys, second: second).ending
            #expect(try calibrated.ask(endpoint, keys: keys, second: second).ending == truth)
            return truth
        }
        func restart(_ part: Part) throws {
            try real.restart(part)
            calibrated.restart(part)
        }
        try real.startSteadily(device: 0, tokens: 6)
        calibrated.startSteadily(device: 0, tokens: 6)
        #expect(try both(.queries, keys: [3, 500], second: 1).present == [true, false])
        #expect(
            try both(.config, second: 2) == Ending(.config, .success(present: [], keyUploadNeeded: false)))
        try restart(.pir)
        #expect(try both(.queries, keys: [3], second: 3).status == 400)
        #expect(try both(.config, second: 4).keyUploadNeeded)
        #expect(try both(.key, second: 5).status == 200)
        try restart(.issuer)
        #expect(try both(.queries, keys: [3], second: 6).status == 401)
        #expect(try both(.issue, second: 7).status == 422)
        real.forgetTokenKey(device: 0)
        calibrated.forgetTokenKey(device: 0)
        #expect(try both(.directory, second: 8).status == 200)
        #expect(try both(.tokenKey, second: 9).status == 200)
        for _ in 0..<3 { #expect(try both(.issue, second: 10).status == 200) }
        #expect(try both(.issue, second: 11).status == 429)
        #expect(try both(.issue, second: 86_400).status == 200)
        #expect(try both(.queries, keys: [3], second: 86_401).present == [true])
        try restart(.issuer)
        // The directory changed after it was read.
        try real.ask(.directory, second: 86_402)
        try calibrated.ask(.directory, second: 86_402)
        try restart(.issuer)
        #expect(try both(.tokenKey, second: 86_403).status == 0)
    }
}
