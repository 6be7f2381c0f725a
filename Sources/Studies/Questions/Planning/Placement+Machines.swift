import Experiment
import FleetModel
import Scenarios

/// Machines of a service in one of the regions, and their closed form.
extension Placement {
    /// The closed form of a service with a load.
    ///
    /// - Parameter peak: Busy cores; `nil`: those of the load's peak.
    func form(_ place: Int, _ load: FleetDemand.Load, peak: Double? = nil) -> StationForm {
        var form = StationForm(load, busy: peak)
        form.pauses = pauses(place, load.service)
        return form
    }

    /// Pauses of each instance; `nil`: none.
    func pauses(_ place: Int, _ service: Part) -> ServerPauses? {
        planner.pauses.indices.contains(place) ? planner.pauses[place][service] : nil
    }

    /// Threads of each instance that compute, whatever its cores; `nil`: as many as cores.
    func threads(_ place: Int, _ service: Part) -> Int? {
        planner.threads.indices.contains(place) ? planner.threads[place][service] : nil
    }

    func machines(_ place: Int, _ service: Part, instances: Int, cores: Int) -> Machines {
        var machines = Machines(
            service: service, instances: instances, coresPerInstance: cores,
            memoryPerInstance: service == .pir
                ? stock(place).memory(instances: instances, spare: planner.rule.spareInstances) : 0)
        machines.threads = threads(place, service).flatMap { $0 > cores ? $0 : nil }
        if planner.scaling.indices.contains(place), let scaling = planner.scaling[place][service] {
            machines.scaled = Autoscaled(
                scaling, load(place, service), instances: instances, cores: cores,
                spare: planner.rule.spareInstances, interval: planner.demand.interval,
                meanDay: planner.demand.week.map { $0.meanDay / $0.busiestDay } ?? 1,
                reserved: planner.prices.purchase?.reservedShare ?? 0)
        }
        return machines
    }
}
