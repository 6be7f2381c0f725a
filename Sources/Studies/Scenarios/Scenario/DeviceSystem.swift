import Decoding
package import URLFilter

/// A generation of the operating system among the devices of a group, and what it brings.
package struct DeviceSystem: Sendable {
    package var os: OSGeneration
    /// Share of the group's devices.
    package var share: Double
    package var matching: MatchingRules
    package var rules: GenerationRules

    init(_ os: OSGeneration, share: Double) {
        self.os = os
        self.share = share
        matching = os.matching.rules
        rules = os.rules
    }
}

extension OSGeneration {
    var matching: Matching {
        switch self {
        case .iOS26: .iOS26
        case .iOS27, .iOS27_3: .iOS27
        }
    }
}

extension OSGeneration: NamesakeForOthers {
    /// Systems that come with iOS, and ask as it does (article "Device").
    private static let others = ["macOS", "iPadOS"]

    static func sentence(about name: String) -> String? {
        guard let other = others.first(where: { name.lowercased().hasPrefix($0.lowercased()) }) else {
            return nil
        }
        let version = name.dropFirst(other.count).drop { $0 == " " }
        let names = allCases.map(\.rawValue)
        let known = names.filter { $0 == "iOS\(version)" }
        return "'\(name)' has no name of its own; \((known.isEmpty ? names : known).joined(separator: ", "))"
            + " \(known.isEmpty ? "stand" : "stands") for \(others.joined(separator: " and ")), too"
    }
}

extension DeviceSettings {
    /// A part of the group's devices with one system.
    package struct Part {
        package var system: DeviceSystem
        /// Places of the devices in the group.
        package var devices: Range<Int>
    }

    /// The group by system; those of a share too small for a device are left out.
    package var parts: [Part] {
        var (share, first) = (0.0, 0)
        return systems.compactMap { system in
            share += system.share
            let end = Int(saturating: (share * Double(count)).rounded())
            defer { first = end }
            return end > first ? Part(system: system, devices: first..<end) : nil
        }
    }
}
