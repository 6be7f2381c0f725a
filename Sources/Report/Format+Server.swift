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
}
