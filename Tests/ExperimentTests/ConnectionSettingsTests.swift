import EventSimulation
import Experiment
import FleetModel
import Foundation
import RandomStreams
import Scenarios
import Testing

/// Keys of the network between devices and gateway.
@Suite struct ConnectionSettingsTests {
    /// - Parameter group: More settings of the only group.
    private func resolve(_ text: String = "", group: String = "") throws -> Scenario {
        try ScenarioResolver.resolve(
            ScenarioFile(
                text: Data(
                    """
                    duration: 1h
                    blocklist: { file: list.txt }
                    devices:
                      - { name: homes, count: 10, continent: EU\(group) }
                    \(text)
                    """.utf8), path: "s.yaml", folder: "/folder"))
    }

    @Test func aScenarioHasConnectionsAndLinesUnlessItSaysOtherwise() throws {
        let usual = try resolve()
        let rules = try #require(usual.connections.rules)
        #expect(rules.transport == .http3 && rules.initialWindow == 12_000)
        #expect(rules.idleTimeout == .seconds(30) && rules.windowIdle == .seconds(1))
        #expect(rules.uncachedNameShare == 0.5 && rules.earlyDataShare == 0)
        #expect(usual.connections.sharesLines && usual.devices[0].site == nil)
        #expect(usual.devices[0].access.radio == nil)
        let older = try #require(try resolve("connections: { transport: http2 }").connections.rules)
        #expect(older.transport == .http2 && older.initialWindow == 14_600)
        let none = try resolve("connections: { transport: none, sharedLines: false }").connections
        #expect(none.rules == nil && !none.sharesLines)
    }

    @Test func delaysOfADeviceAreAlike() throws {
        let usual = try resolve(group: ", access: lte").devices[0].access
        #expect(
            usual.memory == DelayMemory(deviceShare: 0.5, stateShare: 0.25, stateTime: .seconds(60)))
        #expect(abs(usual.loss - 0.011) < 1e-12)
        let own = ", access: { preset: lte, deviceShare: 0, stateShare: 0.4, stateTime: 5min, loss: 0 }"
        let changed = try resolve(group: own).devices[0].access
        #expect(changed.memory == DelayMemory(deviceShare: 0, stateShare: 0.4, stateTime: .seconds(300)))
        #expect(changed.loss == 0)
        #expect(throws: ScenarioError.self) {
            try resolve(group: ", access: { preset: lte, deviceShare: 0.8, stateShare: 0.3 }")
        }
        // The default of the other one counts, too.
        #expect(throws: ScenarioError.self) {
            try resolve(group: ", access: { preset: lte, deviceShare: 0.8 }")
        }
    }

    @Test func cellularRadiosSleep() throws {
        #expect(
            try resolve(group: ", access: lte").devices[0].access.radio
                == RadioSleep(wakeUp: .constant(0.26), idle: .seconds(11.6)))
        let own = ", access: { oneWayDelay: 5ms, radioWakeUp: 100ms, radioIdle: 5s }"
        #expect(
            try resolve(group: own).devices[0].access.radio
                == RadioSleep(wakeUp: .constant(0.1), idle: .seconds(5)))
        let awake = try resolve("connections: { radioSleep: false }", group: ", access: lte")
        #expect(awake.devices[0].access.radio == nil)
    }

    @Test func sitesEdgesAndSecondRequests() throws {
        let site = ", site: { uplink: 8Mbit/s, downlink: 16Mbit/s, devices: 5 }"
        #expect(
            try resolve(group: site).devices[0].site == SiteLine(uplink: 1e6, downlink: 2e6, devices: 5))
        let whole = ", site: { uplink: 8Mbit/s, downlink: 16Mbit/s }"
        #expect(try resolve(group: whole).devices[0].site?.devices == 10)
        let edges = try resolve("services: { relay: { edgeDelays: { EU: 40ms } } }")
        #expect(edges.services.relay.edgeDelays == [.europe: .constant(0.04)])
        let behaviour = try resolve("behaviour: { lookupRetries: 2, hedgeAfter: 400ms }").behaviour
        #expect(behaviour.lookupRetries == 2 && behaviour.hedgeAfter == .milliseconds(400))
        #expect(try resolve().behaviour.lookupRetries == 0)
        #expect(try resolve().behaviour.hedgeAfter == nil)
    }

    @Test(
        "what cannot be is refused with its place",
        arguments: [
            ("connections: { transport: tcp }", "connections.transport: 'tcp' is not known"),
            ("connections: { idleTimeout: 30 }", "connections.idleTimeout: '30' has no unit"),
            ("connections: { initialWindow: 0B }", "connections.initialWindow: 0 is outside"),
            ("connections: { window: 1kB }", "unknown key 'window'"),
            ("services: { relay: { edgeDelays: { AS: 40ms } } }", "edgeDelays.AS: 'AS' is not known"),
            ("behaviour: { hedgeAfter: 0s }", "behaviour.hedgeAfter: 0s is outside"),
        ])
    func errors(text: String, words: String) {
        #expect {
            _ = try resolve(text)
        } throws: { error in
            "\(error)".contains(words)
        }
    }
}
