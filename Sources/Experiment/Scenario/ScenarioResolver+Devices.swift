import EventSimulation
import FleetModel
import RandomStreams
import URLFilter
import Workload

/// Device groups, the traces that they replay, and their access networks.
extension ScenarioResolver {
    /// Devices of all groups together.
    static let maximumDeviceCount = 10_000_000

    func deviceGroups(
        _ root: SettingsReader, matching: Matching?, radioSleeps: Bool
    ) throws -> [DeviceSettings] {
        var groups: [DeviceSettings] = []
        var left = Self.maximumDeviceCount
        for settings in try root.groups("devices") {
            var group = try deviceGroup(settings, matching: matching, limit: left)
            if !radioSleeps { group.access.radio = nil }
            guard !groups.contains(where: { $0.name == group.name }) else {
                throw settings.error("name", .conflict("another group is called '\(group.name)' already"))
            }
            groups.append(group)
            left -= group.count
        }
        guard !groups.isEmpty else {
            throw root.error("devices", .missing(example: "devices: [{ name: homes, count: 1000 }]"))
        }
        return groups
    }

    private func deviceGroup(
        _ settings: SettingsReader, matching: Matching?, limit: Int
    ) throws -> DeviceSettings {
        let name = try settings.text("name", example: "name: students")
        guard !name.isEmpty, !name.contains(where: { ".[]=".contains($0) || $0.isNewline }) else {
            throw settings.error(
                "name",
                .wrongKind(found: name, expected: "a name that --set can use: no '.', '[', ']' or '='"))
        }
        let count = try settings.count("count", in: 1...max(limit, 1))
        let access = try accessNetwork(settings)
        let systems = try systems(settings, common: matching)
        let continent = try settings.optionalText("continent").map { text in
            guard let continent = Continent(rawValue: text) else {
                throw settings.error(
                    "continent", .unknownName(text, allowed: Continent.allCases.map(\.rawValue)))
            }
            return continent
        }
        let site = settings.has("site") ? try siteLine(settings.group("site"), devices: count) : nil
        let browsing = try browsing(settings.group("browsing"))
        let hasProfile = if case .profile = browsing { true } else { false }
        let usage = try usage(settings, hasProfile: hasProfile)
        let reports = try reports(settings)
        try settings.finish()
        return DeviceSettings(
            name: name, count: count, browsing: browsing, access: access, systems: systems,
            continent: continent,
            site: site, usage: usage, reports: reports)
    }

    private func browsing(_ settings: SettingsReader) throws -> DeviceSettings.Browsing {
        if settings.has("trace") {
            var trace = try traceSettings(settings)
            trace.compression = try settings.number("compression", in: 0.001...1e6)
            trace.spread = try settings.duration("spread")
            try settings.finish()
            return .trace(trace)
        }
        if settings.has("lookups") {
            let traffic = try lookupTraffic(settings.group("lookups"))
            try settings.finish()
            return .lookups(traffic)
        }
        return .profile(try profile(settings))
    }

    func traceSettings(_ settings: SettingsReader) throws -> TraceSettings {
        let path = try settings.file("trace", of: file, example: "trace: day.csv")
        let format = try settings.optionalText("format").map { text in
            guard let format = TraceFormat(name: text) else {
                throw settings.error("format", .unknownName(text, allowed: TraceFormat.names))
            }
            return format
        }
        return TraceSettings(file: path, format: format, host: try settings.optionalText("host"))
    }

    private enum AccessName: String, CaseIterable {
        case fibre, wifi, schoolWifi = "school-wifi", fiveG = "5g", lte, hspa

        /// Median and 95th percentile of half the round trip.
        var oneWayDelay: (median: String, p95: String) {
            switch self {
            case .fibre: ("5ms", "12.5ms")
            case .wifi, .schoolWifi: ("10ms", "30ms")
            case .fiveG: ("14ms", "30ms")
            case .lte: ("22.5ms", "55ms")
            case .hspa: ("42.5ms", "155ms")
            }
        }

        /// Uplink and downlink.
        var bandwidth: (up: String, down: String) {
            switch self {
            case .fibre: ("100Mbit/s", "100Mbit/s")
            case .wifi: ("75Mbit/s", "200Mbit/s")
            case .schoolWifi: ("20Mbit/s", "50Mbit/s")
            case .fiveG: ("15Mbit/s", "150Mbit/s")
            case .lte: ("10Mbit/s", "40Mbit/s")
            case .hspa: ("1.5Mbit/s", "6Mbit/s")
            }
        }

        /// Share of packets that get lost.
        var loss: String {
            switch self {
            case .fibre, .wifi, .schoolWifi: "0.1%"
            case .fiveG, .lte, .hspa: "1.1%"
            }
        }

        /// Time to wake up, and time without messages after which it sleeps.
        var radio: (wakeUp: String, idle: String)? {
            switch self {
            case .fibre, .wifi, .schoolWifi: nil
            case .fiveG, .lte: ("260ms", "11.6s")
            case .hspa: ("580ms", "8.1s")
            }
        }
    }

    /// A line without a rate of its own in the scenario would not be worth sharing, so there is no default.
    private func siteLine(_ settings: SettingsReader, devices count: Int) throws -> SiteLine {
        let site = SiteLine(
            uplink: try settings.bandwidth("uplink"),
            downlink: try settings.bandwidth("downlink"),
            devices: try settings.count(
                "devices", default: "\(count)", source: "one site for the group", in: 1...10_000_000))
        try settings.finish()
        return site
    }

    private func accessNetwork(_ settings: SettingsReader) throws -> AccessNetwork {
        let name: AccessName
        let custom: SettingsReader?
        if settings.isGroup("access") {
            let link = try settings.group("access")
            name = try link.choice("preset")
            custom = link
        } else {
            name = try settings.choice("access")
            custom = nil
        }
        let link = try custom ?? settings.empty(at: "access")
        let half = name.oneWayDelay
        let delay = try link.delay(
            "oneWayDelay", default: .lognormal(median: half.median, p95: half.p95),
            source: #"article "Networks", section "Suggested delays": half of the access round trip"#)
        let linkSource =
            #"article "Networks", section "Current access figures": rates of today (assumption)"#
        let uplink = try link.bandwidth("uplink", default: name.bandwidth.up, source: linkSource)
        let downlink = try link.bandwidth("downlink", default: name.bandwidth.down, source: linkSource)
        let radio = try radioSleep(link, default: name.radio)
        var access = AccessNetwork(oneWayDelay: delay, uplink: uplink, downlink: downlink, radio: radio)
        access.memory = try delayMemory(link)
        access.loss = try link.number(
            "loss", default: name.loss, source: #"article "Networks", section "Loss""#, in: 0...0.5)
        try link.finish()
        return access
    }

    private func delayMemory(_ link: SettingsReader) throws -> DelayMemory {
        let source = #"assumption: article "Networks", section "Delays that are alike""#
        let device = try link.number("deviceShare", default: "50%", source: source, in: 0...1)
        let state = try link.number("stateShare", default: "25%", source: source, in: 0...1)
        guard device + state <= 1 else {
            throw link.error(
                "stateShare",
                .conflict(
                    "deviceShare and stateShare are shares of one variance, and \(device) and \(state) add up to more"
                        + " than 1; the rest is the packet's own: lower one of them"))
        }
        return DelayMemory(
            deviceShare: device, stateShare: state,
            stateTime: try link.duration("stateTime", default: "1min", source: source, atLeast: "1s"))
    }
}
