import ArgumentParser
import CommandSupport
import Deployment
import Foundation
import Workload

/// `urlfilter export`: a plan of servers as files of the tools that deploy and watch it.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a plan of servers for Kubernetes, Prometheus, Grafana, Terraform or k6.",
        discussion: """
            Reads the directory that 'capacity --output' wrote: plan.json, and what lies
            beside it (plan.yaml, load-test.yaml). What the plan does not say is assumed, and
            the files say so in comments.

              kubernetes  kubernetes-REGION.yaml: what runs in each region
              prometheus  rules.yaml, rules-test.yaml, scrape.yaml
              grafana     dashboard.json
              terraform   terraform.tfvars, variables.tf
              k6          load-REGION.js: connections and bytes; lookups are
                          'replay --plan'

            --server apple is the example service that Apple publishes, behind our gateway.
            It has no metrics, and its instances share no keys.

            Examples:
              urlfilter capacity fleet.yaml --output plan
              urlfilter export plan --as kubernetes --output deploy --domain filter.example
              urlfilter export plan --as prometheus --output rules
              promtool check rules rules/rules.yaml && promtool test rules rules/rules-test.yaml
              urlfilter export plan --as grafana > dashboard.json
            """.flowing)

    @Argument(help: "Directory that 'capacity --output' wrote, or its plan.json.")
    var plan: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("kubernetes, prometheus, grafana, terraform or k6.", valueName: "tool"))
    var format: ExportFormat

    @Option(
        help: ArgumentHelp(
            "Server that is deployed: workbench ('urlfilter serve') or apple.", valueName: "program"))
    var server = ServerProgram.workbench

    @Option(
        help: ArgumentHelp(
            "Directory for the files, or - for standard output where there is one file (default: -).",
            valueName: "directory"))
    var output = "-"

    @Option(
        help: ArgumentHelp(
            "Domain of the public names: gateway, issuer and pir stand before it.", valueName: "name"))
    var domain = ExportOptions().domain

    @Option(
        help: ArgumentHelp(
            "Container image of the server (default: a placeholder at registry.example.com).",
            valueName: "name"))
    var image: String?

    func validate() throws {
        guard domain.wholeMatch(of: /[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?/) != nil else {
            throw ValidationError("--domain is '\(domain)'; write a name such as filter.example.org")
        }
        if image != nil, format != .kubernetes {
            throw ValidationError("--image belongs to --as kubernetes")
        }
    }

    func run() throws {
        var options = ExportOptions()
        options.server = server
        options.domain = domain
        options.image = image
        let files = try DeployedPlan(path: plan).export(as: format, options)
        guard output == "-" else { return try write(files) }
        guard let only = files.first, files.count == 1 else {
            throw ValidationError(
                "these are \(files.count) files: \(files.map(\.name).joined(separator: ", ")); give --output DIRECTORY"
            )
        }
        try Terminal.printUnbroken(only.text)
    }

    private func write(_ files: [ExportedFile]) throws {
        var roles = FileRoles()
        try roles.reads(plan, as: "the plan")
        try roles.writes(files.map(\.name), in: output, as: "--output")
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        for file in files {
            try AtomicFile.write(to: "\(output)/\(file.name)") { try $0.write(file.text) }
        }
        try Terminal.print(files.map { "\(output)/\($0.name)\n" }.joined())
    }
}

extension ExportFormat: ExpressibleByArgument {}
extension ServerProgram: ExpressibleByArgument {}
