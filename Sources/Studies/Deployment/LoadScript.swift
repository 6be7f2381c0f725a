import Decoding
import FleetModel
import Foundation
import Questions

/// A script for k6 with the rates of the plan: what it can do to gateways and balancers, which is not a lookup.
struct LoadScript {
    let plan: DeployedPlan
    let options: ExportOptions

    var files: [ExportedFile] {
        get throws {
            try plan.regions.map { region in
                ExportedFile(name: "load-\(region.label.text).js", text: try script(region))
            }
        }
    }

    private func script(_ region: DeployedPlan.Region) throws -> String {
        let comment =
            plan.head("k6") + [
                "k6 cannot make lookups: requests are sealed, spend tokens and hold encrypted queries. It sends"
                    + " as many requests",
                "of the same size as devices would, which the gateway refuses (400 or 422) after it has read"
                    + " them. So it tests",
                "connections, TLS, balancers, bytes and rates, and no PIR server. Lookups: urlfilter replay"
                    + " --plan load-test.yaml",
                "Run: k6 run -e GATEWAY=https://gateway.\(options.domain) load-\(region.label.text).js",
                rateNote(region),
            ]
        return comment.map { "// " + ManifestYAML.commentLine($0) + "\n" }.joined()
            + "\nimport http from 'k6/http';\nimport { check } from 'k6';\n\nconst plan = "
            + (try data(region).json) + Self.body
    }

    private func rateNote(_ region: DeployedPlan.Region) -> String {
        region.loadTest == nil
            ? "ASSUMED: no load-test file was beside the plan; one step of 10 min at the plan's peak of requests."
            : "Steps are those of the load test, times \(Figure.text(factor(region))): it is made for the cores"
                + " of one PIR"
                + " instance with the spare ones gone. Its rates are of lookups; keys and tokens come on top."
    }

    /// Cores that share the region's load while the spare ones are gone, over those that the load test is made for.
    private func factor(_ region: DeployedPlan.Region) -> Double {
        guard let test = region.loadTest, let machines = region[Part.pir]?.machines else { return 1 }
        let left = max(1, machines.instances - plan.rule.spareInstances) * machines.coresPerInstance
        let tested = test.criteria.first { $0.service == Part.pir.name }?.cores
        return Double(left) / Double(tested ?? machines.coresPerInstance) * Double(test.machines)
    }

    private func steps(_ region: DeployedPlan.Region) -> [ManifestValue] {
        guard let test = region.loadTest else {
            return [Self.step("peak", rate: region[Part.gateway]?.peakRate ?? 1, ramp: 60, steady: 600)]
        }
        let factor = factor(region)
        return test.steps.map {
            Self.step($0.name, rate: $0.rate * factor, ramp: $0.ramp, steady: $0.warmUp + $0.duration)
        }
    }

    private static func step(_ name: String, rate: Double, ramp: Double, steady: Double) -> ManifestValue {
        [
            "name": .text(name), "requestsPerSecond": .number(rate), "rampSeconds": .number(ramp),
            "steadySeconds": .number(steady),
        ]
    }

    private func data(_ region: DeployedPlan.Region) -> ManifestValue {
        let objective = LookupObjective(plan, region)
        return [
            "region": .text(region.label.text), "path": "/.well-known/ohttp-gateway",
            "bodyBytes": .integer(max(1, Int(saturating: plan.requestBytes))),
            // The refusal has to be faster than what a lookup may take.
            "percentile": .number(objective.share * 100),
            "limitMilliseconds": .number(objective.bound * 1_000),
            "steps": .list(steps(region)),
        ]
    }

    /// The program, the same for every plan.
    private static let body = #"""

        // A refusal of what cannot be opened is the expected answer; what is wrong is 5xx, and no answer.
        http.setResponseCallback(http.expectedStatuses({ min: 200, max: 499 }));

        // Rates per minute, because k6 takes whole numbers only.
        const perMinute = (step) => Math.max(1, Math.round(60 * step.requestsPerSecond));
        const seconds = (number) => `${Math.max(1, Math.ceil(number))}s`;

        const scenarios = {};
        let start = 0;
        for (const step of plan.steps) {
          scenarios[step.name] = {
            executor: 'ramping-arrival-rate',
            startTime: `${start}s`,
            timeUnit: '1m',
            startRate: 1,
            // Little's law with a second for each request; at most as many as k6 may open.
            preAllocatedVUs: Math.min(20000, Math.ceil(step.requestsPerSecond) + 10),
            stages: [
              { target: perMinute(step), duration: seconds(step.rampSeconds) },
              { target: perMinute(step), duration: seconds(step.steadySeconds) },
            ],
          };
          start += Math.ceil(step.rampSeconds) + Math.ceil(step.steadySeconds);
        }

        export const options = {
          discardResponseBodies: true,
          scenarios,
          thresholds: {
            http_req_failed: ['rate<0.01'],
            http_req_duration: [`p(${plan.percentile})<${plan.limitMilliseconds}`],
            dropped_iterations: ['count==0'],
          },
        };

        const body = new Uint8Array(plan.bodyBytes).buffer;

        export default function () {
          const response = http.post(`${__ENV.GATEWAY}${plan.path}`, body, {
            headers: { 'content-type': 'message/ohttp-req' },
          });
          check(response, { 'the gateway answered': (r) => r.status >= 200 && r.status < 500 });
        }

        """#
}
