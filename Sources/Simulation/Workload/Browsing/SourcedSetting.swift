/// One setting of the synthetic workload as it is printed: what it is, its
/// value and where the value comes from.
package struct SourcedSetting: Hashable, Sendable {
    /// The word of the scenario file.
    package let key: String
    package let value: String
    /// A document with its section, or a sentence that starts with "assumption".
    package let source: String

    /// Says of each changed value that the scenario set it, because the source
    /// of the default does not vouch for it.
    static func marking(_ settings: [SourcedSetting], against defaults: [SourcedSetting]) -> [SourcedSetting]
    {
        let known = Dictionary(defaults.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        return settings.map { setting in
            known[setting.key] == setting.value
                ? setting
                : SourcedSetting(key: setting.key, value: setting.value, source: "set by the scenario")
        }
    }
}
