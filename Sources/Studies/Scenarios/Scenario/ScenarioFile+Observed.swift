import Foundation
import Yams

/// Questions that a scenario of observed lookups cannot answer.
///
/// The lookups come as often whatever filter, list or system is set, so nothing here can say what another one
/// would do.
extension ScenarioFile {
    /// Settings of the filter that decide which URLs are looked up.
    private static let filterShape: Set = [
        "falsePositiveTolerance", "bitCount", "hashCount", "murmurSeed", "urlMatching",
    ]

    private var groups: [Node] { root.mapping?["devices"]?.sequence.map(Array.init) ?? [] }

    private static func isObserved(_ group: Node) -> Bool {
        group.mapping?["browsing"]?.mapping?["lookups"] != nil
    }

    /// - Throws: ``ScenarioError`` for another filter, list or system than the lookups were observed with.
    func refuseUnobserved(_ path: SettingPath, _ value: Node) throws {
        guard groups.contains(where: Self.isObserved) else { return }
        let keys = path.steps.map(\.key)
        if keys == ["filter"] {
            for (key, inner) in value.mapping ?? [:] {
                guard let key = key.scalar?.string else { continue }
                try refuseFilter(key, inner)
            }
        } else if keys.count == 2, keys[0] == "filter" {
            try refuseFilter(keys[1], value)
        } else if keys == ["blocklist"] {
            try refuseList(value.mapping?["file"]?.scalar?.string)
        } else if keys == ["blocklist", "file"] {
            try refuseList(value.scalar?.string)
        } else if keys == ["devices", "os"] {
            try refuseSystem(path.steps[0].element, value)
        }
    }

    private func refuseFilter(_ key: String, _ value: Node) throws {
        guard Self.filterShape.contains(key) else { return }
        let own = root.mapping?["filter"]?.mapping?[key]
        guard own == nil || own?.scalar?.string != value.scalar?.string else { return }
        throw Self.unobserved("filter.\(key)", "filter")
    }

    private func refuseList(_ file: String?) throws {
        let own = root.mapping?["blocklist"]?.mapping?["file"]?.scalar?.string
        func place(_ file: String?) -> String? {
            file.map { URL(fileURLWithPath: resolve($0)).standardizedFileURL.path }
        }
        guard place(own) != place(file) else { return }
        throw Self.unobserved("blocklist.file", "list")
    }

    /// - Parameter element: Name or number of a group.
    private func refuseSystem(_ element: String?, _ value: Node) throws {
        for (number, group) in groups.enumerated() where Self.isObserved(group) {
            let name = group.mapping?["name"]?.scalar?.string
            guard element == nil || element == "*" || element == name || element == "\(number)" else {
                continue
            }
            let own = group.mapping?["os"]?.scalar?.string ?? usualSystem
            guard own != value.scalar?.string else { continue }
            throw Self.unobserved("devices[\(element ?? "")].os", "system")
        }
    }

    private var usualSystem: String? {
        if case .value(let name, _) = Schema.devices.os.info.usual { name } else { nil }
    }

    private static func unobserved(_ field: String, _ what: String) -> ScenarioError {
        ScenarioError(
            file: "--set, --list or --vary", field: field,
            problem: .conflict(
                "the lookups of this scenario were observed at servers with the \(what) of that time, which says"
                    + " nothing of how many URLs another \(what) would send there; ask a scenario with browsing or a"
                    + " trace (devices[].browsing), or leave the \(what) as it is"))
    }
}
