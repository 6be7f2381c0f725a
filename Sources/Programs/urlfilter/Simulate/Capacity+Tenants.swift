import CommandSupport
import Questions
import Report
import Scenarios

extension Capacity {
    /// Whether several tenants share servers.
    func planTenants() async throws {
        let files = [scenario] + planning.together
        // All are read before the first one is simulated.
        let scenarios = try files.map { try options.resolve($0) }
        for scenario in scenarios {
            try scenario.requireURLFilter(for: "sharing servers", instead: "leave this tenant out")
        }
        try TenantError.check(scenarios)
        for file in files {
            try FileRoles.check(try options.plan(file), options.preparation, html: html)
        }
        let commands = files.map { file in
            var command = self
            command.scenario = file
            return command
        }
        var tenants: [Tenant] = []
        for command in commands {
            let maker = try ServerPlanMaker(command)
            defer { maker.simulation.end() }
            tenants.append(try await maker.tenant())
        }
        do {
            let plan = try TenantPlan(tenants)
            try answer.show(Document(plan), plan, json: json, html: html)
        } catch let error as TenantError {
            Terminal.note("\(error)")
            throw ExitStatus.objectiveMissed.code
        }
    }
}

extension ServerPlanMaker {
    /// The scenario as one of several tenants, with the days of its storms unless there is no time for them.
    fileprivate func tenant() async throws -> Tenant {
        var look = SampleLook(first: command, devices)
        var demand = try await demand([:], base, &look).demand
        if !command.planning.quick { try await addDays(to: &demand, [:], base, look) }
        return Tenant(demand, of: base, rule: rule)
    }
}
