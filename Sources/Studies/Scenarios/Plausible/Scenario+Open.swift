import FleetModel

/// The inputs of a scenario that nobody told.
extension Scenario {
    /// Fills ``plausible`` with those that act here.
    ///
    /// - Parameter assumptions: Paths that the scenario sets and says to be assumptions.
    mutating func leaveOpen(_ candidates: [PlausibleCandidate], _ assumptions: Set<String>) {
        let acting = candidates.filter { $0.isTold || acts($0, assumptions) }
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
        if open.contains(Schema.pir.path(\.implementation)), Self.ofServer.contains(setting.path) {
            return true
        }
        return source.hasPrefix("os ")
            && devices.contains {
                let place = Schema.devices.place(of: $0.name)
                return setting.path.hasPrefix(place + ".")
                    && open.contains(Schema.devices.path(\.os, in: place))
            }
    }

    /// Settings whose defaults the implementation of the PIR server brings.
    private static let ofServer: Set = [
        Schema.pir.path(\.keys), Schema.pirStation.path(\.queueTime),
        Schema.queue.path(\.queue, in: SettingPlace.service(.pir)), Schema.grouping.path(\.limit),
    ]

    private func acts(_ candidate: PlausibleCandidate, _ assumptions: Set<String>) -> Bool {
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
        case .server:
            return fidelity == .calibrated && pir.profile == nil
                && (!isTold(Schema.pir.path(\.keys)) || assumptions.contains(candidate.path))
        case .relay: return mechanism == nil || mechanismFollowsRelay
        default: return true
        }
    }

    private static func onlyLooksUp(_ group: DeviceSettings) -> Bool {
        if case .lookups = group.browsing { true } else { false }
    }

    private func isTold(_ path: String) -> Bool {
        settings.contains { $0.path == path && $0.defaultSource == nil && !$0.isDerived }
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
