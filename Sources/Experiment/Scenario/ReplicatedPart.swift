import Yams

/// What a replication may have of its own, beside the random numbers of devices, networks and servers.
package enum ReplicatedPart: String, CaseIterable, Sendable {
    /// The hash seed of the prefilter: other URLs hit by chance.
    case hashSeed
    /// The synthetic web that devices browse: other sites and listed URLs are popular.
    case web
    /// The clients of a trace: drawn from it with replacement (bootstrap), as many as it has.
    case clients
    /// The cost profile: each of its samples drawn anew from itself with replacement (bootstrap).
    case costs
}

extension ScenarioResolver {
    /// One part, a list of them, or `none`: an empty list would be lost when the resolved scenario is read again.
    func replicatedParts(_ root: SettingsReader, fidelity: Fidelity) throws -> Set<ReplicatedPart> {
        let names = ReplicatedPart.allCases.map(\.rawValue)
        guard let node = root.value("replicate") else {
            let fallback = SettingDefault.of("replicate")
            let parts = fallback.flatMap { ReplicatedPart(rawValue: $0.value) }.map { [$0] } ?? []
            root.log.settings += parts.map {
                ResolvedSetting(
                    path: "replicate", value: $0.rawValue, defaultSource: fallback?.source)
            }
            return Set(parts)
        }
        let texts: [String]
        if node.scalar != nil {
            let text = try root.text("replicate")
            if text == "none" { return [] }
            texts = [text]
        } else {
            texts = try root.texts("replicate") { $0 }
        }
        guard !texts.isEmpty else {
            throw root.error("replicate", .wrongKind(found: "[]", expected: "a list of parts, or none"))
        }
        let parts = try texts.map { text in
            guard let part = ReplicatedPart(rawValue: text) else {
                throw root.error("replicate", .unknownName(text, allowed: names))
            }
            return part
        }
        for part in [ReplicatedPart.hashSeed, .costs] where fidelity == .real && parts.contains(part) {
            throw root.error(
                "replicate",
                .conflict(
                    "\(part.rawValue) needs fidelity: calibrated; the real code is built and measured once"))
        }
        return Set(parts)
    }
}
