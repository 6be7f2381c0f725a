import ArgumentParser
import CommandSupport
import Experiment
import Scenarios

/// `urlfilter schema`: the settings of a scenario for editors.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of scenarios, for editors and validators.",
        discussion: """
            A first line such as '# yaml-language-server: $schema=scenario.schema.json' makes an editor with a \
            language server for YAML complete and check a scenario while it is written.

            Examples:
              urlfilter schema > scenario.schema.json
              urlfilter help scenarios services.pir.cores
            """.flowing)

    func run() throws { try Terminal.print(SchemaDocument.text) }
}
