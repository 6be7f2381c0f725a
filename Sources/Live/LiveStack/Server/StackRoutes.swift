/// Which party of a process a request is for.
package struct StackRoutes: Sendable {
    package struct Route: Sendable {
        package let host: any PartyHost
        package let endpoint: PartyEndpoint
    }

    private var routes: [String: Route] = [:]

    package init(_ hosts: [any PartyHost]) {
        for host in hosts {
            for endpoint in host.endpoints { routes[endpoint.path] = Route(host: host, endpoint: endpoint) }
        }
    }

    package subscript(path: String) -> Route? { routes[path] }
}
