import Decoding
import FleetModel
import Questions

/// The command line of a pod, and the files that it names.
extension PodPlan {
    private var part: Part { service.part }

    var arguments: [String] {
        guard isOurs else {
            return ["--hostname", "0.0.0.0", "--port", "\(port)", "/data/service-config.json"]
        }
        let listening = [
            "serve", part.name, "--host", "0.0.0.0", "--port", "\(port)", "--metrics-port",
            "\(Self.metricsPort)", "--cores", "\(threads)", "--state", "/state/\(part.name).sqlite",
        ]
        switch part {
        case Part.gateway: return listening + gatewayArguments
        case Part.issuer:
            return listening + ["--allow-plain-http", "--config", "/data/service-config.json"]
        default: return listening + pirArguments
        }
    }

    private var gatewayArguments: [String] {
        let pir: [String]
        if options.server == .apple {
            pir = ["http://urlfilter-pir:8080"]
        } else {
            // All that the autoscaler may add: those that are not there are left out, and only their users move.
            let most = region[Part.pir].map {
                PodPlan(plan: plan, options: options, region: region, service: $0).mostReplicas
            }
            pir = (0..<(most ?? 1)).map { "http://urlfilter-pir-\($0).urlfilter-pir:8082" }
        }
        let issuer =
            options.server == .apple ? "http://urlfilter-issuer:8080" : "http://urlfilter-issuer:8081"
        return ["--certificate", "/tls/tls.crt", "--key", "/tls/tls.key", "--issuer", issuer]
            + pir.flatMap { ["--pir", $0] }
            + ["issuer", "pir"].flatMap { ["--authority", "\($0).\(options.domain)"] }
    }

    private var pirArguments: [String] {
        [
            "--allow-plain-http", "--issuer", "http://urlfilter-issuer:8081", "--config",
            "/data/service-config.json", "--key-storage", "\(keyStorage)GB", "--queue-time",
            "\(Int(saturating: (plan.settings.queueTime * 1_000).rounded(.up)))ms",
        ]
    }

    private var readsData: Bool { !isPublic }

    var mounts: [ManifestValue] {
        var mounts: [ManifestValue] = [["name": "tmp", "mountPath": "/tmp"]]
        if isOurs { mounts.append(["name": "state", "mountPath": "/state"]) }
        if readsData { mounts.append(["name": "data", "mountPath": "/data", "readOnly": true]) }
        if isPublic { mounts.append(["name": "tls", "mountPath": "/tls", "readOnly": true]) }
        return mounts
    }

    var volumes: [ManifestValue] {
        var volumes: [ManifestValue] = [["name": "tmp", "emptyDir": ["sizeLimit": "1Gi"]]]
        if readsData {
            volumes.append([
                "name": "data", "persistentVolumeClaim": ["claimName": "urlfilter-data", "readOnly": true],
            ])
        }
        if isPublic {
            volumes.append(["name": "tls", "secret": ["secretName": "urlfilter-gateway-tls"]])
        }
        return volumes
    }
}
