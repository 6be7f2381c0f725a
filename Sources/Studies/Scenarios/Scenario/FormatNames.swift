package import Workload

extension BlockListFormat {
    /// How the scenario and the command line name the formats.
    package static let names = [
        "plain", "hosts", "txtpb", "adblock", "dnsmasq", "unbound", "bind", "rpz", "csv:COLUMN", "ssv:COLUMN",
        "tsv:COLUMN", "json:FIELD",
    ]

    /// - Parameter name: One of ``names``; COLUMN is a number from 1 or a name of the header.
    package init?(name: String) {
        switch name {
        case "plain": self = .plain
        case "hosts": self = .hosts
        case "txtpb": self = .keywordDatabase
        case "adblock": self = .adblock
        case "dnsmasq": self = .dnsmasq
        case "unbound": self = .unbound
        case "bind": self = .bind
        case "rpz": self = .policyZone
        default:
            let parts = name.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0] == "json" {
                self = .jsonObjects(field: String(parts[1]))
                return
            }
            let separators = ["csv": Character(","), "ssv": ";", "tsv": "\t"]
            guard parts.count == 2, let separator = separators[String(parts[0])]
            else {
                return nil
            }
            let column: ColumnReference = Int(parts[1]).map { .number($0) } ?? .named(String(parts[1]))
            self = .delimited(separator: separator, column: column)
        }
    }
}

extension TraceFormat {
    /// How the scenario and the command line name the formats.
    package static let names = [
        "har", "squid", "combined", "w3c", "csv", "tsv", "jsonl", "json", "alb", "dnsmasq", "urls",
    ]

    /// - Parameter name: One of ``names``.
    package init?(name: String) {
        switch name {
        case "har": self = .har
        case "squid": self = .squid
        case "combined": self = .commonLog
        case "w3c": self = .fieldsLog
        case "csv": self = .delimited(separator: ",")
        case "tsv": self = .delimited(separator: "\t")
        case "jsonl": self = .jsonLines
        case "json": self = .jsonArray
        case "alb": self = .loadBalancer
        case "dnsmasq": self = .resolverLog
        case "urls": self = .urlList
        default: return nil
        }
    }
}
