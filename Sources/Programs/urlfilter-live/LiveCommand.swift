import ArgumentParser
import CommandSupport

/// The second program: what listens or talks on a network. `urlfilter` hands over to it, so it calls itself that.
@main
struct LiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "urlfilter",
        abstract: "Servers of an Apple URL filter, and devices that talk to them.",
        version: Program.version,
        subcommands: [
            Open.self, Serve.self, Replay.self, DoctorCommand.self, WatchCommand.self, Validate.self,
            LivePIR.self, LiveMeasure.self,
        ])

    static func main() async {
        Terminal.prepare()
        await Program.run(Self.self)
    }
}
