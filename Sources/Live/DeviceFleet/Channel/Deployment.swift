package import Parties

/// An operator's services, and the way to them.
package struct Deployment: Sendable {
    package enum Route: Hashable, Sendable {
        /// Straight to issuer and PIR service.
        case direct
        /// Sealed for the gateway and posted to `resource`, which is the gateway's or a relay's URL.
        case oblivious(resource: String, keys: String)
    }

    /// The PIR service.
    package var service: ServiceAddress
    package var issuer: ServiceAddress
    package var route: Route

    package init(service: ServiceAddress, issuer: ServiceAddress? = nil, route: Route = .direct) {
        self.service = service
        self.issuer = issuer ?? service
        self.route = route
    }

    package var services: DeviceClient.Services {
        var services = DeviceClient.Services()
        services.scheme = service.scheme
        services.issuerAuthority = issuer.authority
        services.pirAuthority = service.authority
        return services
    }

    /// Opens the way; an oblivious one fetches the gateway's key first.
    package func channel(_ caller: any HTTPCalls) async throws -> any ExchangeChannel {
        switch route {
        case .direct: DirectChannel(caller)
        case .oblivious(let resource, let keys):
            try await ObliviousChannel(caller, resource: resource, keys: keys)
        }
    }

    /// `direct`, or the URL that messages are posted to.
    package var routeName: String {
        switch route {
        case .direct: "direct"
        case .oblivious(let resource, _): resource
        }
    }

    /// Whether every host that is called is this machine.
    package var isLoopback: Bool {
        let urls: [String] =
            switch route {
            case .direct: []
            case .oblivious(let resource, let keys): [resource, keys]
            }
        return service.isLoopback && issuer.isLoopback
            && urls.allSatisfy { (try? ServiceAddress(originOf: $0))?.isLoopback ?? false }
    }
}

extension ServiceAddress {
    /// Scheme, host and port of a URL that may have a path.
    package init(originOf url: String) throws(AddressError) {
        let rest = url.drop { $0 != ":" }.dropFirst(3)
        let end = rest.firstIndex(of: "/") ?? url.endIndex
        try self.init(String(url[..<end]))
    }
}
