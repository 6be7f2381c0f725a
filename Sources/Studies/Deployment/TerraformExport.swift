import FleetModel
import Foundation
import Questions
import Scenarios

/// Variables for OpenTofu or Terraform: what to rent where.
struct TerraformExport {
    let plan: DeployedPlan

    var files: [ExportedFile] {
        [
            ExportedFile(name: "terraform.tfvars", text: ManifestHCL.render(variables, comment: comment)),
            ExportedFile(name: "variables.tf", text: Self.declarations),
        ]
    }

    private var comment: [String] {
        plan.head("terraform") + [
            "Gigabytes are 10^9 bytes; a month has 30 days. Memory is the plan's, beside the program's own"
                + " (ASSUMED: add 1 GiB,",
            "and 2.25 GiB of keys in use at each PIR server). monthly_cost is the plan's, at the scenario's prices.",
            "Each region's volume of keys is for its own devices and those of the largest other region.",
        ]
    }

    private var variables: [ManifestValue.Field] {
        [
            .init("scenario", .text(plan.scenario)), .init("devices", .integer(plan.devices)),
            .init("target_utilization", .number(plan.rule.targetUtilization)),
            .init("spare_instances", .integer(plan.rule.spareInstances)),
            .init("monthly_cost", ["currency": .text(plan.currency), "total": Self.rounded(plan.total)]),
            .init("regions", .fields(plan.regions.map { .init($0.label.text, value($0)) })),
        ]
    }

    private func value(_ region: DeployedPlan.Region) -> ManifestValue {
        [
            "name": .text(region.name ?? ""),
            "services": .fields(
                region.services.map { service in
                    .init(
                        service.part.name,
                        [
                            "instances": .integer(service.machines.instances),
                            "cores": .integer(service.machines.coresPerInstance),
                            "memory_gb": Self.rounded(
                                Double(gigabytesOf: service.machines.memoryPerInstance)),
                        ])
                }),
            "storage_gb": Self.rounded(region.storage),
            "key_storage_gb": Self.rounded(
                Double(gigabytesOf: plan.keyOwners(region) * plan.evaluationKeyBytes)),
            "egress_gb_month": Self.rounded(region.egress), "ingress_gb_month": Self.rounded(region.ingress),
            "cdn_gb_month": Self.rounded(region.download),
        ]
    }

    /// Thousandths, which no bill has.
    private static func rounded(_ number: Double) -> ManifestValue {
        .number((number * 1_000).rounded() / 1_000)
    }

    /// The types of the variables, the same for every plan.
    private static let declarations = """
        # Types of terraform.tfvars, made by 'urlfilter export --as terraform'.

        variable "scenario" { type = string }

        variable "devices" { type = number }

        variable "target_utilization" { type = number }

        variable "spare_instances" { type = number }

        variable "monthly_cost" {
          type = object({ currency = string, total = number })
        }

        variable "regions" {
          type = map(object({
            name             = string
            services         = map(object({ instances = number, cores = number, memory_gb = number }))
            storage_gb       = number
            key_storage_gb   = number
            egress_gb_month  = number
            ingress_gb_month = number
            cdn_gb_month     = number
          }))
        }

        """
}
