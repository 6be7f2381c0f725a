/// How Prometheus finds what counts, and gives it the labels of the rules.
struct ScrapeConfig {
    static let job = "urlfilter"

    let options: ExportOptions

    var document: ManifestDocument {
        ManifestDocument(
            [
                "rule_files": ["rules.yaml"],
                "scrape_configs": [
                    [
                        "job_name": .text(Self.job), "scheme": "https",
                        "authorization": [
                            "credentials_file": "/var/run/secrets/kubernetes.io/serviceaccount/token"
                        ],
                        // The proxy beside each server has a certificate that it made itself.
                        "tls_config": ["insecure_skip_verify": true],
                        "kubernetes_sd_configs": [["role": "pod"]], "relabel_configs": .list(relabelling),
                    ]
                ],
            ],
            comment: [
                "Part of a Prometheus configuration: pods of 'urlfilter export --as kubernetes', by the proxy"
                    + " beside each server.",
                "ASSUMED: one Prometheus reaches the pods of all regions, or each has one with these rules.",
                "Check: promtool check config --syntax-only scrape.yaml",
            ]
                + (options.server == .apple
                    ? ["CPU of Apple's example comes from the kubelet's cAdvisor, which is another job."]
                    : []))
    }

    private var relabelling: [ManifestValue] {
        [
            [
                "source_labels": ["__meta_kubernetes_pod_label_app_kubernetes_io_part_of"], "action": "keep",
                "regex": "urlfilter",
            ],
            [
                "source_labels": ["__meta_kubernetes_pod_container_port_name"], "action": "keep",
                "regex": "metrics",
            ],
            [
                "source_labels": ["__meta_kubernetes_pod_label_app_kubernetes_io_name"],
                "regex": "urlfilter-(.+)", "target_label": "service",
            ],
            [
                "source_labels": ["__meta_kubernetes_pod_label_urlfilter_region"], "target_label": "region",
            ],
            ["source_labels": ["__meta_kubernetes_pod_name"], "target_label": "instance"],
        ]
    }
}
