import ArgumentParser
import CommandSupport
import LiveStack

/// `urlfilter serve`: the parties as real servers.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: LiveVerb.serve.abstract,
        discussion: """
            Each party speaks HTTP/1.1 and HTTP/2 on one port, without TLS on loopback
            addresses and with --certificate and --key everywhere.

              relay    POST /relay                          message/ohttp-req
              gateway  GET, POST /.well-known/ohttp-gateway application/ohttp-keys
              issuer   GET /.well-known/private-token-issuer-directory
                       GET /token-key-for-user-token, POST /issue
              pir      POST /config, /key, /queries, /report
              all      GET /health, /metrics

            /metrics tells how many requests of which kind there are: it is served on an
            address that only this machine can reach, to requests that name such an
            address and have no field of a proxy, or on --metrics-port of 127.0.0.1, and
            never to the network. Behind a proxy on this machine give --metrics-port, for
            a proxy that says nothing of itself would pass /metrics on.

            A line with the URL is printed when requests are served. SIGHUP reads the data
            again, SIGTERM and SIGINT finish what is under way and end with exit code 0.

            HTTP/1.0 is served one request per connection.

            Limits, and what happens beyond; /metrics counts how often each was met:

            \(StackLimit.table(LiveStackOptions(coreCount: 1)))

            Examples:
              urlfilter serve all --list list.txt --port 8080
              urlfilter serve issuer --port 8081
              urlfilter serve pir --list list.txt --port 8082 \\
                --issuer http://127.0.0.1:8081
              urlfilter serve gateway --port 8083 --issuer http://127.0.0.1:8081 \\
                --pir http://127.0.0.1:8082
              urlfilter serve relay --port 8084 --gateway http://127.0.0.1:8083
            """.flowing,
        subcommands: [Relay.self, Gateway.self, Issuer.self, PIRServer.self, All.self])
}
