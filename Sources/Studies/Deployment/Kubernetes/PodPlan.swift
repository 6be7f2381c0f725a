import Decoding
import FleetModel
import Foundation
import Questions
import Scenarios

/// A pod of one service: what it runs, what it asks for, and how many there are.
struct PodPlan {
    let plan: DeployedPlan
    let options: ExportOptions
    let region: DeployedPlan.Region
    let service: DeployedPlan.Service

    static let metricsPort = 9100
    static let proxyPort = 9443
    /// Until the balancer knows that a pod goes, seconds: assumption.
    private static let leaving = 5
    /// Beside what the plan says, bytes: assumptions.
    private static let ownMemory = 0.5 * 1_073_741_824
    private static let gatewayMemory = 1_073_741_824.0
    /// Keys in use and changes on their way to the disk, as `serve pir` has them, bytes.
    private static let keyMemory = 2.25 * 1_073_741_824

    private var part: Part { service.part }
    var isPublic: Bool { part == Part.gateway }
    /// Whether `urlfilter serve` runs in it.
    var isOurs: Bool { options.server == .workbench || isPublic }
    private var spare: Int { plan.rule.spareInstances }

    /// Gateway and issuer of ours share no keys with further instances.
    private var isAlone: Bool { isOurs && part != Part.pir }

    var replicas: Int { isAlone ? 1 : service.machines.instances }
    var mostReplicas: Int { max(replicas + 1, replicas + (replicas + 1) / 2) }
    var scales: Bool { !isAlone }
    var disruptions: Int { isAlone ? 1 : max(1, min(spare, replicas - 1)) }

    var cores: Int {
        let machines = service.machines
        return isAlone
            ? max(1, machines.instances - spare) * machines.coresPerInstance : machines.coresPerInstance
    }

    /// Threads that compute: more than cores where the plan's CPU limit is below them.
    var threads: Int { service.machines.threads ?? cores }

    private var memory: Double {
        let planned = service.machines.memoryPerInstance
        if isPublic { return planned + Self.gatewayMemory }
        guard part == Part.pir else { return planned + Self.ownMemory }
        // The plan has the database that is served and the next one; earlier versions are in memory, too.
        let versions = Double(max(0, plan.settings.versionCount - 1)) * plan.databaseBytes
        return planned + versions + Self.ownMemory + (isOurs ? Self.keyMemory : 0)
    }

    var port: Int {
        guard isOurs else { return 8080 }
        return isPublic ? 8443 : part == Part.issuer ? 8081 : 8082
    }

    /// Bytes of evaluation keys at one instance, with a quarter more for users who moved: assumption.
    private var keyBytes: Double {
        let left = Double(max(1, service.machines.instances - spare))
        return plan.keyOwners(region) * plan.evaluationKeyBytes / left * 1.25
    }

    /// The same in whole gigabytes, as `--key-storage` has it.
    var keyStorage: Int { max(1, Int(saturating: (keyBytes / .gigabyte).rounded(.up))) }

    var comment: [String] {
        var lines = [
            "\(part.name): \(service.machines.instances) × \(service.machines.coresPerInstance) cores planned,"
                + " \(Figure.text(service.peakCores)) busy at the peak (\(Figure.text(service.peakHigh)) at its"
                + " upper end)."
        ]
        if isAlone { lines.append("One instance with \(cores) cores, see above.") }
        if threads > cores {
            lines.append(
                "\(threads) threads compute: the limit stops them for the rest of each 100 ms in which they have used"
                    + " \(cores) cores, as the plan has it.")
        }
        return lines
    }

    /// `nil`: nothing survives the pod.
    var stateVolume: ManifestValue? {
        guard isOurs else { return nil }
        let versions = Double(plan.settings.versionCount) * plan.databaseBytes
        let bytes = part == Part.pir ? Double(keyStorage) * .gigabyte + versions : 0
        // Spent tokens and the log of the database: assumption.
        let gibibytes = Int(saturating: (bytes / 1_073_741_824).rounded(.up)) + 2
        return [
            "metadata": ["name": "state"],
            "spec": [
                "accessModes": ["ReadWriteOnce"],
                "resources": ["requests": ["storage": "\(gibibytes)Gi"]],
            ],
        ]
    }

    var spec: ManifestValue {
        let name = RegionManifests.name(part)
        // What the load balancer still sends, then what was begun.
        let grace = Int(saturating: plan.settings.drain.rounded(.up)) + Self.leaving
        return [
            "serviceAccountName": .text(RegionManifests.account),
            "terminationGracePeriodSeconds": .integer(grace),
            "securityContext": [
                "runAsNonRoot": true, "runAsUser": 10001, "runAsGroup": 10001, "fsGroup": 10001,
                "seccompProfile": ["type": "RuntimeDefault"],
            ],
            "topologySpreadConstraints": [
                spread("topology.kubernetes.io/zone", name, isHard: false),
                spread("kubernetes.io/hostname", name, isHard: replicas > 1),
            ],
            "containers": .list([container] + (isOurs ? [metricsProxy] : [])), "volumes": .list(volumes),
        ]
    }

    private func spread(_ key: String, _ name: String, isHard: Bool) -> ManifestValue {
        [
            "maxSkew": 1, "topologyKey": .text(key),
            "whenUnsatisfiable": .text(isHard ? "DoNotSchedule" : "ScheduleAnyway"),
            "labelSelector": ["matchLabels": ["app.kubernetes.io/name": .text(name)]],
        ]
    }

    private static let hardened: ManifestValue = [
        "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
        "capabilities": ["drop": ["ALL"]],
    ]

    private var container: ManifestValue {
        let amounts: ManifestValue = [
            "cpu": "\(cores)",
            "memory": "\(Int(saturating: (memory / 1_048_576).rounded(.up)))Mi",
        ]
        let probe: ManifestValue = [
            "httpGet": [
                "path": .text(isOurs ? "/health" : "/.well-known/private-token-issuer-directory"),
                "port": "http", "scheme": .text(isPublic ? "HTTPS" : "HTTP"),
            ]
        ]
        return [
            "name": .text(part.name),
            "image": .text(
                isOurs && options.server == .apple ? ExportOptions.gatewayImage : options.serverImage),
            "args": .list(arguments.map { .text($0) }),
            "ports": [["name": "http", "containerPort": .integer(port)]],
            "resources": ["requests": amounts, "limits": amounts],
            // Reading the data may take minutes, and nothing listens before: assumption, five of them.
            "startupProbe": probe.adding(["periodSeconds": 5, "failureThreshold": 60]),
            "readinessProbe": probe.adding(["periodSeconds": 5, "failureThreshold": 2]),
            "livenessProbe": probe.adding(["periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 6]),
            "lifecycle": ["preStop": ["sleep": ["seconds": .integer(Self.leaving)]]],
            "securityContext": Self.hardened, "volumeMounts": .list(mounts),
        ]
    }

    private var metricsProxy: ManifestValue {
        let amounts: ManifestValue = ["cpu": "100m", "memory": "64Mi"]
        return [
            "name": "metrics", "image": "quay.io/brancz/kube-rbac-proxy:v0.18.1",
            "args": [
                "--secure-listen-address=0.0.0.0:\(Self.proxyPort)",
                "--upstream=http://127.0.0.1:\(Self.metricsPort)/", "--allow-paths=/metrics",
            ],
            "ports": [["name": "metrics", "containerPort": .integer(Self.proxyPort)]],
            "resources": ["requests": amounts, "limits": amounts], "securityContext": Self.hardened,
        ]
    }
}
