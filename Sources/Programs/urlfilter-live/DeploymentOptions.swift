import ArgumentParser
import DeviceFleet
import DeviceNetwork
import Foundation
import Parties

/// Which services a command talks to, on which way, and as whom.
struct DeploymentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("URL of the PIR service.", valueName: "url"))
    var against: String?

    @Option(help: ArgumentHelp("URL of the issuer (default: that of the PIR service).", valueName: "url"))
    var issuer: String?

    @Option(help: "The way to the services: direct, gateway (sealed) or relay (sealed).")
    var through: Way?

    @Option(
        help: ArgumentHelp(
            "Gateway (default: \(ServiceNames.gatewayPath) at the PIR service).", valueName: "url"))
    var gateway: String?

    @Option(
        help: ArgumentHelp("Relay (default: \(ServiceNames.relayPath) at the PIR service).", valueName: "url")
    )
    var relay: String?

    @Option(
        help: ArgumentHelp(
            "The gateway's key configuration (default: the gateway's own URL).", valueName: "url"))
    var ohttpKeys: String?

    @Option(help: "Name of the usecase on the PIR service.")
    var usecase = PIRDatabase.usecaseName

    @Option(help: ArgumentHelp("Token of the app's user, as the issuer knows it.", valueName: "token"))
    var userToken: String?

    @Option(
        help: ArgumentHelp("Certificates to trust besides the system's.", valueName: "file.pem"))
    var trust: String?

    enum Way: String, CaseIterable, ExpressibleByArgument {
        case direct, gateway, relay
    }

    private var way: Way { through ?? (relay != nil ? .relay : gateway != nil ? .gateway : .direct) }

    func validate() throws {
        if way == .direct, gateway ?? relay ?? ohttpKeys != nil {
            throw ValidationError("--through direct passes neither a gateway nor a relay")
        }
        if way == .gateway, relay != nil { throw ValidationError("--through gateway passes no relay") }
        if usecase.isEmpty { throw ValidationError("--usecase is empty") }
    }

    /// - Throws: `AddressError`.
    func deployment(of text: String) throws -> Deployment {
        let service = try ServiceAddress(text)
        var deployment = Deployment(service: service, issuer: try issuer.map { try ServiceAddress($0) })
        deployment.route = try route(at: service)
        return deployment
    }

    func route(at service: ServiceAddress) throws -> Deployment.Route {
        guard way != .direct else { return .direct }
        let gateway = gateway ?? service.url(path: ServiceNames.gatewayPath)
        let resource = way == .relay ? relay ?? service.url(path: ServiceNames.relayPath) : gateway
        for url in [resource, ohttpKeys ?? gateway] { _ = try ServiceAddress(originOf: url) }
        return .oblivious(resource: resource, keys: ohttpKeys ?? gateway)
    }

    func caller(timeoutSeconds: Double? = nil) throws -> HTTPCaller {
        var settings = HTTPCaller.Settings()
        settings.trustedCertificates = trust
        if let timeoutSeconds { settings.timeoutSeconds = timeoutSeconds }
        return try HTTPCaller(settings)
    }
}

extension HTTPCaller {
    /// Closes all connections after `body`, however that ends.
    func whileOpen<Value>(_ body: () async throws -> Value) async throws -> Value {
        let value: Value
        do {
            value = try await body()
        } catch {
            await shutdown()
            throw error
        }
        await shutdown()
        return value
    }
}
