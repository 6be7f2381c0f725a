import Foundation

extension SweepBatch {
    /// Storage that all pods have: what it holds is mounted under the paths that it has here.
    static let claim = "urlfilter-sweep"

    /// An indexed Job: a pod for each task.
    var kubernetes: String {
        get throws { try ManifestYAML.render([ManifestDocument(job, comment: needs + assumptions)]) }
    }

    private var assumptions: [String] {
        [
            "ASSUMED: the PersistentVolumeClaim '\(Self.claim)', ReadWriteMany, holds these folders under the paths"
                + " that they have here.",
            "", "  kubectl apply -f sweep-job.yaml",
            "  urlfilter sweep collect DIRECTORY      where the claim is mounted, when it is done or meanwhile",
            "",
            "Lines without a result after that: kubectl delete job urlfilter-\(name.text), and apply it again.",
        ]
    }

    private var job: ManifestValue {
        let labels: ManifestValue = ["app.kubernetes.io/name": .text("urlfilter-\(name.text)")]
        return [
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": ["name": .text("urlfilter-\(name.text)"), "labels": labels],
            "spec": [
                "completionMode": "Indexed", "completions": .integer(tasks),
                "parallelism": .integer(min(parallel ?? tasks, tasks)),
                "backoffLimitPerIndex": .integer(Self.retries),
                // A line that cannot be run does not keep the others from it.
                "maxFailedIndexes": .integer(tasks),
                "template": [
                    "metadata": ["labels": labels],
                    "spec": [
                        "restartPolicy": "Never", "containers": [container],
                        "volumes": [
                            [
                                "name": "sweep",
                                "persistentVolumeClaim": ["claimName": .text(Self.claim)],
                            ]
                        ],
                    ],
                ],
            ],
        ]
    }

    private var container: ManifestValue {
        [
            "name": "work", "image": .text(image ?? ExportOptions.gatewayImage),
            "command": ["/bin/sh", "-c"],
            "args": [.text("program=urlfilter\n" + loop(first: "$((JOB_COMPLETION_INDEX + 1))"))],
            "resources": [
                "requests": ["cpu": "1", "memory": "4Gi"], "limits": ["memory": "4Gi"],
            ],
            // What is inside another one is mounted after it.
            "volumeMounts": .list(([folder] + inputFolders).sorted().map(mount)),
        ]
    }

    private func mount(_ path: String) -> ManifestValue {
        [
            "name": "sweep", "mountPath": .text(path), "subPath": .text(String(path.drop { $0 == "/" })),
            "readOnly": .flag(path != folder),
        ]
    }
}
