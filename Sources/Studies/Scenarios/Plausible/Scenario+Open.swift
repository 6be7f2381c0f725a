import FleetModel

/// The inputs of a scenario that nobody told.
extension Scenario {
    /// Fills ``plausible`` with those that act here.
    ///
    /// - Parameter assumptions: Paths that the scenario sets and says to be assumptions.
    mutating func leaveOpen(_ candidates: [PlausibleCandidate], _ assumptions: Set<String>) {
        let acting = candidates.filter { $0.isTold || acts($0) }
        plausible = PlausibleInput.joined(acting)
        var open = Set(acting.lazy.filter { !$0.isTold }.map(\.path))
        let listed = Schema.web.path(\.listed)
        let isAssumed = settings.contains { $0.path == listed && $0.defaultSource != nil }
        if isAssumed || assumptions.contains(listed), plausible.contains(where: { $0.name == "listed" }) {
            open.insert(listed)
        }
        for index in settings.indices {
            let path = settings[index].path
            let law = path.firstRange(of: ".lognormal.").map { String(path[..<$0.lowerBound]) }
            if open.contains(path) || law.map(open.contains) == true { settings[index].isOpen = true }
            if follows(settings[index], open) { settings[index].isDerived = true }
        }
    }

    /// Whether a default is another one as soon as something else is drawn, so that nobody may write it down.
    private func follows(_ setting: ResolvedSetting, _ open: Set<String>) -> Bool {
        guard let source = setting.defaultSource else { return false }
        return source.hasPrefix("os ")
            && devices.contains {
                let place = Schema.devices.place(of: $0.name)
                return setting.path.hasPrefix(place + ".")
                    && open.contains(Schema.devices.path(\.os, in: place))
            }
    }

    private func acts(_ candidate: PlausibleCandidate) -> Bool {
        guard let topic = candidate.topic else { return true }
        let group = devices.first { candidate.path.hasPrefix(Schema.devices.place(of: $0.name) + ".") }
        if topic.isOfURLFilter, mechanism != nil { return false }
        if topic.isOfBrowsing, !followsTheDay { return false }
        switch topic {
        case .listed: return listedTrace == nil
        case .coverage: return mechanism == nil && group.map(Self.onlyLooksUp) != true
        case .system: return group.map(Self.onlyLooksUp) != true
        case .radio: return connections.radioSleeps
        case .names: return connections.rules != nil
        case .restart: return prefilter.updates.changesEntries
        case .machine: return pir.profile == nil && !candidate.path.contains("regions[")
        case .relay: return mechanism == nil || mechanismFollowsRelay
        default: return true
        }
    }

    private static func onlyLooksUp(_ group: DeviceSettings) -> Bool {
        if case .lookups = group.browsing { true } else { false }
    }

    /// A server of the mechanism is as far as the relay's gateway.
    private var mechanismFollowsRelay: Bool {
        settings.contains {
            $0.isDerived && $0.path.hasPrefix("mechanisms.") && $0.path.hasSuffix(".serverDelay")
        }
    }
}

extension ScenarioResolver {
    /// Settings of the scenario that are assumptions all the same; they are no settings themselves.
    func readAssumptions(_ root: SettingsReader) throws {
        let setting = Schema.run.assumptions
        let count = root.log.settings.count
        let paths = try root(setting)
        root.log.settings.removeLast(root.log.settings.count - count)
        for path in paths {
            let mean = path.hasSuffix(Self.mean) ? String(path.dropLast(Self.mean.count)) : path
            guard Schema.entry(of: mean) != nil else {
                throw root.error(
                    setting, .conflict("'\(path)' is no setting"))
            }
        }
        root.log.assumptions = Set(paths)
    }

    private static let mean = ".exponential.mean"
}
