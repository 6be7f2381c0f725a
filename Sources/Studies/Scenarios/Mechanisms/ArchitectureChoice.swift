/// How the fleet's traffic is filtered; article "Architectures".
package enum ArchitectureChoice: String, CaseIterable, Codable, Sendable {
    /// Apple's URL filter: a prefilter on the device, private lookups at the operator's servers.
    case urlFilter
    /// Every device holds the whole list.
    case wholeList
    /// Devices hold the beginnings of hashes, and ask a server about those that a URL has.
    case hashPrefix
    /// A provider on the device sees every flow, or every packet.
    case contentFilter, packetFilter
    /// A filter in the network of a school or a company.
    case onSiteFilter
    case httpProxy, socksProxy
    case fullTunnel, splitTunnel, perAppVPN, appProxy
    /// MASQUE.
    case relay
    case dnsFilter
    /// Rules that the browser compiles, and the list that MDM's built-in filter takes.
    case contentBlocker, builtInList
}
