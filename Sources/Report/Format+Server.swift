import FleetModel

extension Format {
    /// Whose server was simulated, and how its costs are known.
    static func server(_ server: ServerIdentity) -> String {
        var text = "\(server.name), \(server.version)"
        guard let ratio = server.lookupRatio else { return text }
        text += "; modelled: a lookup takes \(number(ratio.value))"
        if let low = ratio.low, let high = ratio.high { text += " (\(number(low)) to \(number(high)))" }
        text += " times the CPU of \(ServerIdentity.workbench)"
        return server.obtained.map { text + ": " + $0 } ?? text
    }

    /// Only whose it was, and whether that is known by ratios.
    static func serverBriefly(_ server: ServerIdentity) -> String {
        guard let ratio = server.lookupRatio else { return "of \(server.name)" }
        return
            "of \(server.name), modelled: \(number(ratio.value)) times \(ServerIdentity.workbench) a lookup"
    }
}
