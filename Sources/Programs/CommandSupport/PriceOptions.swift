import ArgumentParser
import Experiment
package import Scenarios

/// Options of every command that talks of money.
package struct PriceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Prices: large-cloud, small-hoster or own-hardware, or a file (article 'Planning').",
            valueName: "name or file"))
    private var prices: String?

    @Option(help: ArgumentHelp("Money per hour of one server core.", valueName: "money"))
    private var priceCoreHour: Double?

    @Option(
        help: "Share of a core that may be busy in the busiest interval (default: of the prices, 60%).",
        transform: ShareOption.parse)
    private var targetUtilization: Double?

    package init() {}

    package func validate() throws {
        try Self.require(priceCoreHour, "--price-core-hour")
        try NumberOption.require(targetUtilization, "--target-utilization", in: 0.01...1)
    }

    /// Refuses what is no amount of money.
    package static func require(_ price: Double?, _ option: String) throws {
        try NumberOption.require(price, option, in: 0...1_000_000)
    }

    /// - Parameters:
    ///   - usual: What counts without the option.
    ///   - given: Single prices by their keys, of options that the command has for itself.
    package func prices(over usual: Prices, _ given: [String: Double?] = [:]) throws -> Prices {
        try (prices.map(Prices.named) ?? usual).with(given).with([
            "coreHour": priceCoreHour, "targetUtilization": targetUtilization,
        ])
    }
}
