import ArgumentParser
import CommandSupport
import EventSimulation
import LiveStack

extension Serve {
    /// `urlfilter serve all`
    struct All: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "all",
            abstract: "Run all parties in one process, on one port.",
            discussion: """
                Example:
                  urlfilter serve all --list list.txt --port 8080
                """.flowing)

        @OptionGroup var data: ServedData
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.serve(Set(Party.allCases), input: data.file, data: data.load)
        }
    }

    /// `urlfilter serve issuer`
    struct Issuer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "issuer",
            abstract: "Run the issuer, which signs tokens for users.",
            discussion: """
                Without --config every bearer of any user token is a user.

                Examples:
                  urlfilter serve issuer --port 8081
                  urlfilter serve issuer --port 8081 --config service-config.json
                """.flowing)

        @Option(
            help: ArgumentHelp(
                "service-config.json of Apple's example server, for its users.", valueName: "file"))
        var config: String?

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.serve([.issuer], input: config) { [config] in
                try config.map { try ServiceFile.load($0, withDatabase: false) } ?? .withoutDatabase
            }
        }
    }

    /// `urlfilter serve pir`
    struct PIRServer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pir",
            abstract: "Run the PIR server, which takes tokens and answers lookups.",
            discussion: """
                Takes tokens of the keys in the issuer's directory, which has to run first.

                When the data changes, by SIGHUP or over a restart, devices with the
                configuration before that are still answered, from the database before that:
                with --config as many versions as versionCount says, with --list one. Older
                ones get status 410 and ask for the new configuration. With --memory a
                restart forgets the versions before, and their devices get 410 at once.

                Example:
                  urlfilter serve pir --list list.txt --port 8082 \\
                    --issuer http://127.0.0.1:8081
                """.flowing)

        @Option(help: ArgumentHelp("Base URL of the issuer.", valueName: "url"))
        var issuer: BaseURL

        @OptionGroup var data: ServedData
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.serve(
                [.pir], upstreams: .init(issuer: issuer.text), input: data.file, data: data.load)
        }
    }

    /// `urlfilter serve gateway`
    struct Gateway: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "gateway",
            abstract: "Run the gateway, which opens sealed requests.",
            discussion: """
                Requests for hosts other than those of issuer and PIR server are refused;
                --authority names further ones, for example public names.

                Several --pir share the requests. One to which no connection can be made is
                left out for a second, and the others take its requests. Each instance keeps
                evaluation keys and spent tokens for itself. With stickyByUser, the default, a
                device is always with the same one. With the others the gateway passes each key
                on to all of them; one that was away then does not know it.

                Examples:
                  urlfilter serve gateway --port 8083 --issuer http://127.0.0.1:8081 \\
                    --pir http://127.0.0.1:8082
                  urlfilter serve gateway --port 8083 --issuer http://127.0.0.1:8081 \\
                    --pir http://127.0.0.1:8082 --pir http://127.0.0.1:8092 \\
                    --balancing leastOutstanding
                """.flowing)

        @Option(help: ArgumentHelp("Base URL of the issuer.", valueName: "url"))
        var issuer: BaseURL

        @Option(help: ArgumentHelp("Base URL of the PIR server; repeatable.", valueName: "url"))
        var pir: [BaseURL]

        @Option(
            help: ArgumentHelp(
                "Which of several PIR servers a request goes to: stickyByUser, roundRobin, random, leastOutstanding or"
                    + " powerOfTwo.", valueName: "way"))
        var balancing = Balancing.stickyByUser

        @OptionGroup var server: ServerOptions

        func validate() throws {
            if balancing == .pooled {
                throw ValidationError(
                    "--balancing pooled is one line for all instances, which no gateway has; choose leastOutstanding"
                )
            }
            if Set(pir.map(\.text)).count < pir.count {
                throw ValidationError("--pir names an instance twice; give each once")
            }
        }

        func run() async throws {
            try await server.serve(
                [.gateway],
                upstreams: .init(issuer: issuer.text, instances: pir.map(\.text), balancing: balancing)
            ) { .withoutDatabase }
        }
    }

    /// `urlfilter serve relay`
    struct Relay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "relay",
            abstract: "Run a relay, which hides clients from its one gateway.",
            discussion: """
                Example:
                  urlfilter serve relay --port 8084 --gateway http://127.0.0.1:8083
                """.flowing)

        @Option(help: ArgumentHelp("Base URL of the gateway.", valueName: "url"))
        var gateway: BaseURL

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.serve([.relay], upstreams: .init(gateway: gateway.text)) { .withoutDatabase }
        }
    }
}

extension Balancing: ExpressibleByArgument {}
