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
    let contentNetwork = Setting<ContentNetwork.Preset>.choice(
        "contentNetwork", .assumption("flat", "one price, `downloadGigabyte`"),
        "who delivers prefilters; the preset of the group below"
    ).orGroup

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

/// Prices of who delivers prefilters, where more than one counts.
struct ContentNetworkSettings: SettingGroup {
    let places = ["prices.contentNetwork"]

    let preset = Setting<ContentNetwork.Preset>.choice(
        "preset", .assumption("flat", "one price, `downloadGigabyte`"),
        "tiers; those of `large-cloud` are a public price of 2026")
    let hitRatio = Setting.share(
        "hitRatio", .assumption("100%", "each edge fetches an edition once, for very many devices"),
        "share of the bytes that edges have already")
    let originGigabyte = Setting.number(
        "originGigabyte", in: PriceSettings.amounts,
        .assumption("0", "free between a cloud's storage and its own network"),
        "a GB that the edges do not have, from the origin")
    let tenThousandRequests = Setting.number(
        "tenThousandRequests", in: PriceSettings.amounts,
        .assumption("0", "small beside the bytes; 0.0075 to 0.012 is a public price of 2026"),
        "ten thousand fetches, those that find nothing new too")
}

/// Price from so many GB of a month on; without a list those of the preset.
struct ContentTierSettings: SettingGroup {
    let places = ["prices.contentNetwork.tiers[]"]

    let from = Setting.bytes(
        "from", in: 0...1_000_000_000_000_000_000, .required("from: 10000GB"),
        "of a month, in all regions together")
    let gigabyte = Setting.number(
        "gigabyte", in: PriceSettings.amounts, .required("gigabyte: 0.08"), "a GB from there to the next tier"
    )
}

/// Machines that can be bought, instead of cores and memory one by one.
struct MachineTypeSettings: SettingGroup {
    let places = ["prices.machines[]"]

    let name = Setting.text("name", .required("name: large"), "of the machine")
    let cores = Setting.count(
        "cores", in: 1...ScenarioResolver.maximumCores, .required("cores: 2"), "of the machine")
    let memory = Setting.bytes(
        "memory", in: 0...1_000_000_000_000_000, .required("memory: 8GB"), "of the machine")
    let hour = Setting.number(
        "hour", in: PriceSettings.amounts, .required("hour: 0.0971"), "price of an hour, on demand")
}

/// Servers that are bought otherwise than by the hour.
struct PurchaseSettings: SettingGroup {
    let places = ["prices.purchase"]

    let reservedShare = Setting.share(
        "reservedShare", .assumption("0%", "no commitment"), "of the servers, with a commitment")
    let reservedPrice = Setting.share(
        "reservedPrice",
        .assumption("70%", "a year without prepayment saves 25 to 40 % at large clouds in 2026"),
        "of the price of an hour, with a commitment")
    let spotShare = Setting.share(
        "spotShare", .assumption("0%", "none can be taken back"),
        "of the servers, which the cloud may take back")
    let spotPrice = Setting.share(
        "spotPrice",
        .assumption("35%", "large clouds advertise up to 90 % less, and mostly ask for 30 to 40 %"),
        "of the price of an hour, for these")
}

/// Prices of what stands between the relay and the servers, and between the zones of a region.
struct NetworkPriceSettings: SettingGroup {
    let places = ["prices.network"]

    let balancerHour = Setting.number(
        "balancerHour", in: PriceSettings.amounts,
        .assumption("0", "the relay asks the gateways themselves; 0.02 to 0.03 is a public price of 2026"),
        "a load balancer for an hour, one in each region with servers")
    let balancerGigabyte = Setting.number(
        "balancerGigabyte", in: PriceSettings.amounts,
        .assumption("0", "as above; 0.008 is a public price of 2026"), "a GB through it, in either direction")
    let zones = Setting.count(
        "zones", in: 1...100, .assumption("1", "all servers of a region in one zone"),
        "of a region, over which its servers are spread")
    let zoneGigabyte = Setting.number(
        "zoneGigabyte", in: PriceSettings.amounts,
        .assumption("0", "free; 0.02 for both directions is a public price of 2026"),
        "a GB from one zone to another")
}
