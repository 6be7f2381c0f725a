import FleetModel
import Questions

/// Busy cores of one service at which somebody has to know.
struct SaturationLines {
    /// Cores of all instances that are deployed, and those that the plan has with the spare instances gone.
    let cores: Int
    let left: Double
    /// Busy cores that the plan's target allows to what is left, and those at which all are full.
    let spareGone: Double
    let full: Double

    init(
        _ export: PrometheusExport, _ region: DeployedPlan.Region, _ service: DeployedPlan.Service
    ) {
        let (rule, machines) = (export.plan.rule, service.machines)
        let pod = PodPlan(plan: export.plan, options: export.options, region: region, service: service)
        cores = pod.replicas * pod.cores
        left = Double(max(1, machines.instances - rule.spareInstances) * machines.coresPerInstance)
        spareGone = rule.targetUtilization * left
        full = rule.lostRegionUtilization * Double(cores)
    }
}
