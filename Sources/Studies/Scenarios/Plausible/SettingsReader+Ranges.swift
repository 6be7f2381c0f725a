import Foundation
import Yams

/// A range that the scenario gives to a setting: `60%..95%`, or `{ value: 80%, between: 60%..95% }`.
struct ToldRange {
    var low: String
    var high: String
    /// `nil`: the middle.
    var value: String?

    /// - Returns: `nil` for a text that is no range.
    init?(_ text: String, value: String? = nil) {
        guard let dots = text.firstRange(of: ".."), dots.lowerBound > text.startIndex else { return nil }
        low = text[..<dots.lowerBound].trimmingCharacters(in: .whitespaces)
        high = text[dots.upperBound...].trimmingCharacters(in: .whitespaces)
        self.value = value
        guard !low.isEmpty, !high.isEmpty else { return nil }
    }
}

/// Ranges instead of values, and what defaults may be instead.
extension SettingsReader {
    static let rangeKey = "between"
    static let valueKey = "value"

    /// Whether the scenario gives a group that is a range.
    private func isRange(_ key: String) -> Bool { value(key)?.mapping?[Node(Self.rangeKey)] != nil }

    /// - Returns: `nil` if the scenario gives one value, or none.
    func toldRange(_ setting: SettingInfo) throws -> ToldRange? {
        let key = setting.key
        guard let node = value(key) else { return nil }
        guard setting.kind.unit != nil else {
            if let text = node.scalar?.string, setting.kind.isWord, let range = ToldRange(text),
                [range.low, range.high].allSatisfy({ (try? Quantity.share($0)) != nil })
            {
                throw error(
                    key, .conflict("\(text) is a range, and only a number can have one; write one value"))
            }
            return nil
        }
        if let text = node.scalar?.string { return ToldRange(text) }
        guard isRange(key) else { return nil }
        let group = try group(key)
        let text = group.value(Self.rangeKey)?.scalar?.string ?? ""
        let value = group.value(Self.valueKey)
        try group.finish()
        guard let range = ToldRange(text, value: value?.scalar?.string) else {
            throw group.error(
                Self.rangeKey, .wrongKind(found: text, expected: "a range such as 60%..95%"))
        }
        guard value == nil || value?.scalar != nil else {
            throw group.error(
                Self.valueKey, .wrongKind(found: value.map(Self.excerpt) ?? "", expected: "a single value"))
        }
        return range
    }

    /// The value of the run itself, after a look at both ends.
    func middle<Value>(
        _ range: ToldRange, of setting: SettingInfo, _ read: (SettingsReader) throws -> Value
    ) throws -> Value {
        let key = setting.key
        _ = try read(instead(range.low, of: key))
        _ = try read(instead(range.high, of: key))
        guard let unit = setting.kind.unit, let low = unit.number(range.low),
            let high = unit.number(range.high)
        else {
            throw error(
                key,
                .conflict("a range has a number at both ends, and \(range.low)..\(range.high) has a word"))
        }
        guard low <= high else {
            throw error(
                key,
                .conflict(
                    "\(range.low)..\(range.high) ends before it begins; write \(range.high)..\(range.low)"))
        }
        let scale = PlausibleScale(
            low: low, high: high, isLogarithmic: setting.isLogarithmic(from: low, to: high))
        let now = range.value ?? unit.text(scale.value(at: 0.5), in: scale.range)
        if let number = unit.number(now), !scale.range.contains(number) {
            throw error(key, .outOfRange(now, allowed: "\(range.low)...\(range.high), which you gave"))
        }
        let value = try read(instead(now, of: key))
        record(range, of: key)
        guard low < high else { return value }
        log.candidates.append(
            PlausibleCandidate(
                path: join(key), topic: setting.plausible?.topic,
                words: setting.plausible?.topic.words ?? setting.words,
                law: .between(low: low, high: high, isLogarithmic: scale.isLogarithmic, unit: unit),
                form: .value, now: now, nowPlace: unit.number(now).map(scale.place),
                source: PlausibleRange.told))
        return value
    }

    /// Notes a range as the scenario wrote it.
    private func record(_ range: ToldRange, of key: String) {
        let text = "\(range.low)..\(range.high)"
        guard isRange(key) else {
            log.settings.append(ResolvedSetting(path: join(key), value: text, isDerived: isDerived))
            return
        }
        if let value = range.value {
            log.settings.append(ResolvedSetting(path: "\(join(key)).\(Self.valueKey)", value: value))
        }
        log.settings.append(ResolvedSetting(path: "\(join(key)).\(Self.rangeKey)", value: text))
    }

    /// A reader to which the scenario says this, at the place of what it says.
    private func instead(_ text: String, of key: String) throws -> SettingsReader {
        var group = node?.mapping ?? [:]
        group[Node(key)] = .scalar(Node.Scalar(text, Tag(.str), .any, value(key)?.mark))
        return try SettingsReader(
            node: .mapping(group), path: path, log: SettingsLog(file: log.file), isDerived: isDerived)
    }

    /// Notes that a value may be something else, if its setting says so.
    ///
    /// - Parameter own: Range that another setting decides; it goes before the declared one.
    func propose(_ setting: SettingInfo, _ now: String, _ own: PlausibleRange? = nil) {
        guard let candidate = PlausibleCandidate(setting, own, path: join(setting.key), now: now) else {
            return
        }
        log.candidates.append(candidate)
    }

    /// The same of a log-normal delay.
    func proposeStretched(_ setting: SettingInfo, median: String, p95: String) {
        guard
            let candidate = PlausibleCandidate(
                setting, path: join(setting.key), median: median, p95: p95)
        else { return }
        log.candidates.append(candidate)
    }

    /// The same of an exponential delay.
    func proposeMean(_ setting: SettingInfo, _ mean: String) {
        let path = "\(join(setting.key)).exponential.mean"
        guard let candidate = PlausibleCandidate(setting, path: path, now: mean) else { return }
        log.candidates.append(candidate)
    }

    /// A delay of which the scenario says that it is an assumption.
    func proposeAssumption(_ setting: SettingInfo, _ node: Node) {
        func parameter(_ law: String, _ name: String) -> String? {
            node.mapping?[Node(law)]?.mapping?[Node(name)]?.scalar?.string
        }
        let path = join(setting.key)
        guard node.mark != nil else { return }
        if log.assumptions.contains(path) {
            if let text = node.scalar?.string { return propose(setting, text) }
            guard let median = parameter("lognormal", "median"), let p95 = parameter("lognormal", "p95")
            else { return }
            proposeStretched(setting, median: median, p95: p95)
        } else if log.assumptions.contains("\(path).exponential.mean"),
            let mean = parameter("exponential", "mean")
        {
            proposeMean(setting, mean)
        }
    }

    /// Moves a setting to another topic.
    func move(_ key: String, to topic: PlausibleTopic) {
        for index in log.candidates.indices where log.candidates[index].path == join(key) {
            log.candidates[index].topic = topic
            log.candidates[index].words = topic.words
        }
    }

    /// Takes back that a setting may be something else.
    func withdraw(_ key: String) { log.candidates.removeAll { $0.path == join(key) && !$0.isTold } }
}

extension SettingKind {
    /// One word, or several.
    fileprivate var isWord: Bool {
        switch self {
        case .seed, .flag, .choice, .mix, .some: true
        case .group(let short): short.isWord
        default: false
        }
    }
}

extension SettingInfo {
    /// Scale of a range that the user gives: that of the declared one, else by how far its ends are apart.
    fileprivate func isLogarithmic(from low: Double, to high: Double) -> Bool {
        guard low > 0 else { return false }
        if case .between(_, _, let isLogarithmic) = plausible?.law { return isLogarithmic }
        return high >= 10 * low
    }
}
