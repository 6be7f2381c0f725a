import Decoding
import FleetModel
import Foundation
import Questions

/// Manifests of each region: what runs, what restarts it, and what may be taken away at once.
struct KubernetesExport {
    let plan: DeployedPlan
    let options: ExportOptions

    var files: [ExportedFile] {
        get throws {
            try plan.regions.map { region in
                let manifests = RegionManifests(plan: plan, options: options, region: region)
                return ExportedFile(
                    name: "kubernetes-\(region.label.text).yaml",
                    text: try ManifestYAML.render(manifests.documents))
            }
        }
    }
}

/// The manifests of one region, which have a namespace of their own.
struct RegionManifests {
    let plan: DeployedPlan
    let options: ExportOptions
    let region: DeployedPlan.Region

    var namespace: String { "urlfilter-\(region.label.text)" }

    var documents: [ManifestDocument] {
        let parts = [Part.gateway, Part.issuer, Part.pir]
        let services = parts.compactMap { region[$0] }
        var documents = [
            ManifestDocument(
                ["apiVersion": "v1", "kind": "Namespace", "metadata": ["name": .text(namespace)]],
                comment: plan.head("kubernetes") + Self.assumptions(options.server) + limits)
        ]
        documents += access
        for service in services { documents += self.documents(of: service) }
        documents.append(
            ManifestDocument(
                backendPolicy,
                comment: [
                    "Only the gateway asks issuer and PIR servers, and these the issuer; the proxies of /metrics"
                        + " ask who comes."
                ]))
        return documents
    }

    private static func assumptions(_ server: ServerProgram) -> [String] {
        let common = [
            "ASSUMED: nodes have a core and 1 GiB more than a pod asks for; zones have the label"
                + " topology.kubernetes.io/zone.",
            "ASSUMED: 0.5 GiB for the program beside what the plan says (1 GiB for the gateway, which remembers"
                + " requests);",
            "  in PIR servers of ours 2.25 GiB of keys in use; a copy of the database for each version that is"
                + " still answered.",
            "ASSUMED: the secret urlfilter-gateway-tls, the claim urlfilter-data with the processed database,"
                + " the images.",
        ]
        return common
            + (server == .workbench
                ? [
                    "Gateway and issuer are one instance each with the cores of all that the plan has but the"
                        + " spare ones:",
                    "  their instances share no keys (a device's key of one gateway is 422 at another one)."
                        + " While it is",
                    "  replaced nobody is answered; state on its volume survives. Spares of the plan are for"
                        + " another server.",
                    "An edition: put the files into the claim, then 'kubectl exec POD -c pir -- kill -HUP 1' for"
                        + " each pod.",
                ]
                : [
                    "CANNOT RUN AS PUBLISHED with more than one instance: Apple's example keeps token keys,"
                        + " spent tokens and",
                    "  evaluation keys in the memory of each process, so one refuses (401, 400) what another one"
                        + " gave out.",
                    "  Give it a shared store first, or set replicas to 1. It has no metrics and no health page:",
                    "  probes ask for the issuer's directory, and rules take CPU from the kubelet.",
                    "The gateway is ours: the example has none.",
                ])
    }

    private var limits: [String] {
        region.services.contains { $0.machines.threads != nil }
            ? [
                "ASSUMED: no static CPU manager: a pod has the CPU time of its limit on all cores of its node, as"
                    + " the plan has it."
            ]
            : [
                "ASSUMED: limits are the requests, so that a static CPU manager gives whole cores, as the plan"
                    + " counts them."
            ]
    }

    func metadata(_ name: String) -> ManifestValue {
        ["name": .text(name), "namespace": .text(namespace), "labels": labels(name)]
    }

    /// Labels that a pod is found by, and that Prometheus takes over.
    func labels(_ name: String) -> ManifestValue {
        [
            "app.kubernetes.io/name": .text(name), "app.kubernetes.io/part-of": "urlfilter",
            "urlfilter/region": .text(region.label.text),
        ]
    }

    static func name(_ part: Part) -> String { "urlfilter-\(part.name)" }

    private func selector(_ name: String) -> ManifestValue { ["app.kubernetes.io/name": .text(name)] }

    private func documents(of service: DeployedPlan.Service) -> [ManifestDocument] {
        let pod = PodPlan(plan: plan, options: options, region: region, service: service)
        let name = Self.name(service.part)
        var documents = [
            ManifestDocument(workload(pod), comment: pod.comment),
            ManifestDocument(self.service(pod)),
            ManifestDocument(
                [
                    "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata(name),
                    "spec": [
                        "maxUnavailable": .integer(pod.disruptions),
                        "selector": ["matchLabels": selector(name)],
                    ],
                ],
                comment: ["As many may be taken away at once as the plan has spare instances."]),
        ]
        if pod.scales { documents.append(autoscaler(pod)) }
        return documents
    }

    private func workload(_ pod: PodPlan) -> ManifestValue {
        let name = Self.name(pod.service.part)
        var spec: ManifestValue = [
            "replicas": .integer(pod.replicas), "selector": ["matchLabels": selector(name)],
            "template": ["metadata": ["labels": labels(name)], "spec": pod.spec],
        ]
        if let state = pod.stateVolume {
            spec = spec.adding([
                "serviceName": .text(name), "podManagementPolicy": "Parallel",
                "volumeClaimTemplates": [state],
            ])
        } else {
            spec = spec.adding([
                "strategy": [
                    "type": "RollingUpdate",
                    "rollingUpdate": ["maxUnavailable": .integer(pod.disruptions), "maxSurge": 1],
                ]
            ])
        }
        return [
            "apiVersion": "apps/v1", "kind": pod.stateVolume == nil ? "Deployment" : "StatefulSet",
            "metadata": metadata(name), "spec": spec,
        ]
    }

    private func service(_ pod: PodPlan) -> ManifestValue {
        let name = Self.name(pod.service.part)
        let port: ManifestValue = [
            "name": .text(pod.isPublic ? "https" : "http"), "port": .integer(pod.isPublic ? 443 : pod.port),
            "targetPort": "http", "protocol": "TCP",
        ]
        var spec: ManifestValue = ["selector": selector(name), "ports": [port]]
        if pod.isPublic {
            // The relay's address tells nothing of devices, but a limit by network needs the real one.
            spec = spec.adding(["type": "LoadBalancer", "externalTrafficPolicy": "Local"])
        } else if pod.stateVolume != nil {
            spec = spec.adding(["clusterIP": "None"])
        }
        return ["apiVersion": "v1", "kind": "Service", "metadata": metadata(name), "spec": spec]
    }

    private func autoscaler(_ pod: PodPlan) -> ManifestDocument {
        let name = Self.name(pod.service.part)
        let percent = Int(saturating: plan.rule.targetUtilization * 100)
        return ManifestDocument(
            [
                "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata(name),
                "spec": [
                    "scaleTargetRef": [
                        "apiVersion": "apps/v1",
                        "kind": pod.stateVolume == nil ? "Deployment" : "StatefulSet", "name": .text(name),
                    ],
                    "minReplicas": .integer(pod.replicas), "maxReplicas": .integer(pod.mostReplicas),
                    "metrics": [
                        [
                            "type": "Resource",
                            "resource": [
                                "name": "cpu",
                                "target": ["type": "Utilization", "averageUtilization": .integer(percent)],
                            ],
                        ]
                    ],
                    // A new instance has no keys: those who come and go make devices upload theirs.
                    "behavior": ["scaleDown": ["stabilizationWindowSeconds": 3600]],
                ],
            ],
            comment: [
                "The plan's instances are the least, since it was confirmed with them. At most half as many"
                    + " again: assumption.",
                "A scale-down waits for an hour (assumption): users who move upload their keys again.",
            ])
    }
}
