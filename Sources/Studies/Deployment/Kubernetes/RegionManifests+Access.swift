/// Who may talk to whom.
extension RegionManifests {
    static let account = "urlfilter"

    /// Our servers show what they count to their own machine only. A proxy beside them asks who wants to read it.
    var access: [ManifestDocument] {
        [
            ManifestDocument([
                "apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata(Self.account),
            ]),
            ManifestDocument(
                [
                    "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                    "metadata": [
                        "name": .text("\(namespace)-metrics"), "labels": labels(Self.account),
                    ],
                    "roleRef": [
                        "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": "system:auth-delegator",
                    ],
                    "subjects": [
                        [
                            "kind": "ServiceAccount", "name": .text(Self.account),
                            "namespace": .text(namespace),
                        ]
                    ],
                ],
                comment: [
                    "Lets the proxy of /metrics ask who is asking. Prometheus needs a role with the verb get on the",
                    "nonResourceURL /metrics.",
                ]),
        ]
    }

    var backendPolicy: ManifestValue {
        let ports: ManifestValue =
            options.server == .workbench ? [["port": 8081], ["port": 8082]] : [["port": 8080]]
        let gateway: ManifestValue = [
            "podSelector": ["matchLabels": ["app.kubernetes.io/name": "urlfilter-gateway"]]
        ]
        let pir: ManifestValue = [
            "podSelector": ["matchLabels": ["app.kubernetes.io/name": "urlfilter-pir"]]
        ]
        return [
            "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy",
            "metadata": metadata("urlfilter-backend"),
            "spec": [
                "podSelector": [
                    "matchExpressions": [
                        [
                            "key": "app.kubernetes.io/name", "operator": "In",
                            "values": ["urlfilter-issuer", "urlfilter-pir"],
                        ]
                    ]
                ],
                "policyTypes": ["Ingress"],
                "ingress": [
                    ["from": [gateway, pir], "ports": ports],
                    ["ports": [["port": .integer(PodPlan.proxyPort)]]],
                ],
            ],
        ]
    }
}
