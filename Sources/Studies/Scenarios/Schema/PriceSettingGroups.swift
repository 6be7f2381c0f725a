/// Prices of what the operator pays for, and the worth of harm; article "Planning", section "Prices".
struct PriceSettings: SettingGroup {
    let places = ["prices"]

    let preset = Setting<Prices.Preset>.choice(
        "preset", .assumption("large-cloud", "machines by the hour"), "what the other keys change")
    let file = Setting.file("file", .required("prices: { file: prices.yaml }"), "a file with the same keys")
    let currency = Setting.text("currency", ofPreset, "word before an amount")
    let rates = Prices.Rates.settings.map(\.setting)
    let targetUtilization = Setting.number(
        "targetUtilization", in: 0.01...1, ofPreset, "how busy cores may be in the busiest interval")
    let spareInstances = Setting.count(
        "spareInstances", in: 0...1_000, ofPreset, "instances of each service that may fail then")
    let harms = Prices.harms.map(\.setting)

    static let ofPreset = SettingUsual.follows("of the preset")
    static let amounts = 0.0...1_000_000
}

/// Prices that differ in a region of `services`.
struct RegionPriceSettings: SettingGroup {
    let places = ["prices.regions[]"]

    let name = Setting.text("name", .required("name: europe"), "of the region")
    let leastInstances = Setting.count(
        "leastInstances", in: 0...1_000, .absent,
        "instances of each service that a plan has there at least; from 1 on it has servers there")
    let rates = Prices.Rates.settings.map(\.setting)
}
