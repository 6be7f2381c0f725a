import EventSimulation
import FleetModel
import RandomStreams
import URLFilter
import Workload

/// Device groups, the traces that they replay, and their access networks.
extension ScenarioResolver {
    /// Devices of all groups together.
    package static let maximumDeviceCount = 10_000_000

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
        _ group: SettingsReader, matching: Matching?, limit: Int
    ) throws -> DeviceSettings {
        let settings = Schema.devices
        let name = try group(settings.name)
        guard !name.isEmpty, !name.contains(where: { ".[]=".contains($0) || $0.isNewline }) else {
            throw group.error(
                settings.name,
                .wrongKind(found: name, expected: "a name that --set can use: no '.', '[', ']' or '='"))
        }
        let count = try group(settings.count)
        try group.check(count, in: 1...max(limit, 1), settings.count.key)
        let (access, network) = try accessNetwork(group)
        let systems = try systems(group, common: matching)
        let continent = try group.optional(settings.continent)
        let site = group.has("site") ? try siteLine(group.group("site"), devices: count) : nil
        let browsing = try browsing(group.group("browsing"))
        let hasProfile = if case .profile = browsing { true } else { false }
        let usage = try usage(group, hasProfile: hasProfile)
        let reports = try reports(group)
        let servedIn = try group(settings.servedIn)
        try group.finish()
        return DeviceSettings(
            name: name, count: count, browsing: browsing, access: access, network: network, systems: systems,
            continent: continent, servedIn: servedIn,
            site: site, usage: usage, reports: reports)
    }

    private func browsing(_ group: SettingsReader) throws -> DeviceSettings.Browsing {
        let settings = Schema.browsing
        if group.has(settings.trace) {
            var trace = try traceSettings(group, settings.trace)
            trace.compression = try group(settings.compression)
            trace.spread = try group(settings.spread)
            try group.finish()
            return .trace(trace)
        }
        if group.has("lookups") {
            let traffic = try lookupTraffic(group.group("lookups"))
            try group.finish()
            return .lookups(traffic)
        }
        return .profile(try profile(group))
    }

    func traceSettings(_ group: SettingsReader, _ file: Setting<String>) throws -> TraceSettings {
        TraceSettings(
            file: try group(file), format: try group.optional(TraceSettingKeys.format),
            host: try group.optional(TraceSettingKeys.host))
    }

    private func siteLine(_ group: SettingsReader, devices count: Int) throws -> SiteLine {
        let settings = Schema.site
        let site = SiteLine(
            uplink: try group(settings.uplink), downlink: try group(settings.downlink),
            devices: try group(
                settings.devices, else: SettingFallback("\(count)", "one site for the group")))
        try group.finish()
        return site
    }

    private func accessNetwork(
        _ devices: SettingsReader
    ) throws -> (AccessNetwork, owner: String) {
        let settings = Schema.access
        let name: AccessName
        let link: SettingsReader
        if devices.isGroup(Schema.devices.access) {
            link = try devices.group("access")
            name = try link(settings.preset)
        } else {
            name = try devices(Schema.devices.access)
            link = try devices.empty(at: "access")
        }
        let half = name.oneWayDelay
        let delay = try link(
            settings.oneWayDelay,
            else: SettingFallback(
                median: half.median, p95: half.p95,
                SettingUsual.source("Networks", "Suggested delays") + ": half of the access round trip"))
        let rates =
            SettingUsual.source("Networks", "Current access figures") + ": rates of today (assumption)"
        let uplink = try link(settings.uplink, else: SettingFallback(name.bandwidth.up, rates))
        let downlink = try link(settings.downlink, else: SettingFallback(name.bandwidth.down, rates))
        let radio = try radioSleep(link, default: name.radio)
        var access = AccessNetwork(oneWayDelay: delay, uplink: uplink, downlink: downlink, radio: radio)
        access.memory = try delayMemory(link)
        access.loss = try link(
            settings.loss, else: SettingFallback(name.loss, SettingUsual.source("Networks", "Loss")))
        try link.finish()
        return (access, try network(devices, access: name))
    }

    private func delayMemory(_ link: SettingsReader) throws -> DelayMemory {
        let settings = Schema.access
        let device = try link(settings.deviceShare)
        let state = try link(settings.stateShare)
        guard device + state <= 1 else {
            throw link.error(
                settings.stateShare,
                .conflict(
                    "deviceShare and stateShare are shares of one variance, and \(device) and \(state) add up to more"
                        + " than 1; the rest is the packet's own: lower one of them"))
        }
        if state > 0.25 { link.withdraw(settings.deviceShare.key) }
        return DelayMemory(
            deviceShare: device, stateShare: state, stateTime: try link(settings.stateTime))
    }
}
