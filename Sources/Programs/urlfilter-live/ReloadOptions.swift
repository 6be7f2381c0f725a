import ArgumentParser
import CommandSupport
import Foundation

/// How `doctor` makes a service take new data, to see what devices of the old ones get.
struct ReloadOptions: ParsableArguments {
    @Option(
        name: .customLong("reload"),
        help: ArgumentHelp(
            "Shell command with which the service takes new data, such as 'systemctl reload pir'. It is run in the"
                + " middle, to see what a query of the configuration before gets, and whether the data are others.",
            valueName: "command"))
    var command: String?

    @Option(
        name: .customLong("reload-wait"),
        help: ArgumentHelp(
            "How long the service goes on reading behind the end of that command.",
            valueName: "duration"), transform: DurationOption.parse)
    var wait = 5.0

    /// Nil without a command.
    var action: (@Sendable () async throws -> Void)? {
        guard let command else { return nil }
        let seconds = wait
        return {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", command]
            // Standard output has the answer of this program alone.
            process.standardOutput = FileHandle.standardError
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw UnusableInput("--reload", "'\(command)' ends with status \(process.terminationStatus)")
            }
            try await Task.sleep(for: .seconds(seconds))
        }
    }
}
