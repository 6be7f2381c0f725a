/// One setting of a scenario, declared once: readers, messages, `plan`, the articles' tables, `urlfilter help` and the
/// schema for editors are made from it.
///
///     let verdictTimeout = Setting.duration(
///         "verdictTimeout", atLeast: "1ms", .value("3s", "reverse-engineered"),
///         "a device waits so long for an answer")
///
/// `Value` is what the program works with: seconds, bytes, shares as numbers, or an enumeration of its own.
package struct Setting<Value>: Sendable {
    package let info: SettingInfo
    let read: @Sendable (SettingsReader, SettingInfo, SettingFallback?) throws -> Value

    init(
        _ info: SettingInfo,
        read: @escaping @Sendable (SettingsReader, SettingInfo, SettingFallback?) throws -> Value
    ) {
        self.info = info
        self.read = read
    }

    package var key: String { info.key }
}

/// A setting whatever its type, for tables and schemas.
package protocol AnySetting: Sendable {
    var info: SettingInfo { get }
}

extension Setting: AnySetting {}

/// Facts about a setting beside the type of its value.
package struct SettingInfo: Sendable {
    package let key: String
    package let kind: SettingKind
    package let usual: SettingUsual
    /// Meaning of the setting, as a part of a sentence.
    package let words: String
    /// Values that the default may have instead; `nil` for what is decided and not found out.
    package var plausible: PlausibleRange?

    init(_ key: String, _ kind: SettingKind, _ usual: SettingUsual, _ words: String) {
        self.key = key
        self.kind = kind
        self.usual = usual
        self.words = words
    }
}

/// Default of a setting, for when the scenario does not name it.
package enum SettingUsual: Sendable {
    /// Value as the file would write it, and where that comes from: an article, a standard, or "assumption".
    /// The last means that nobody publishes the number.
    case value(String, String)
    /// A delay by median and 95th percentile, and their source.
    case lognormal(median: String, p95: String, String)
    /// An exponential delay by its mean, and its source.
    case exponential(mean: String, String)
    /// Another setting or a fact of the machine decides: these words say which.
    case follows(String)
    /// There is none, and the setting must be given; the example shows how.
    case required(String)
    /// There is none, and nothing happens without it.
    case absent
}

/// A default that another setting decides, with its source.
package struct SettingFallback {
    enum Value {
        case text(String)
        case lognormal(median: String, p95: String)
    }

    let value: Value
    let source: String

    init(_ text: String, _ source: String) {
        value = .text(text)
        self.source = source
    }

    init(median: String, p95: String, _ source: String) {
        value = .lognormal(median: median, p95: p95)
        self.source = source
    }
}

extension SettingsReader {
    /// The value of a setting of this group.
    ///
    /// - Parameter own: The default that follows from other settings; it goes before the declared one.
    package func callAsFunction<Value>(_ setting: Setting<Value>, else own: SettingFallback? = nil) throws
        -> Value
    {
        guard let range = try toldRange(setting.info) else {
            return try setting.read(self, setting.info, own)
        }
        return try middle(range, of: setting.info) { try setting.read($0, setting.info, own) }
    }

    /// The value if the scenario has one.
    func optional<Value>(_ setting: Setting<Value>) throws -> Value? {
        has(setting.key) ? try self(setting) : nil
    }

    func has<Value>(_ setting: Setting<Value>) -> Bool { has(setting.key) }

    func isGroup<Value>(_ setting: Setting<Value>) -> Bool { isGroup(setting.key) }

    package func error<Value>(_ setting: Setting<Value>, _ problem: ScenarioError.Problem) -> ScenarioError {
        error(setting.key, problem)
    }
}
