import FleetModel
import Foundation

/// A dashboard of the metrics of `serve`, with the plan's lines as thresholds: a row of panels for each region.
struct GrafanaExport {
    let plan: DeployedPlan
    let options: ExportOptions

    /// The format of Grafana 11.
    static let schemaVersion = 39

    var files: [ExportedFile] {
        get throws { [ExportedFile(name: "dashboard.json", text: try dashboard.json)] }
    }

    private var dashboard: ManifestValue {
        var panels: [ManifestValue] = []
        for (row, region) in plan.regions.enumerated() {
            let own = RegionPanels(plan: plan, options: options, region: region).all
            let height = 8
            let top = row * (1 + height * ((own.count + 1) / 2))
            panels.append([
                "type": "row", "id": .integer(panels.count + 1), "title": .text(region.name ?? "all"),
                "collapsed": false, "panels": [],
                "gridPos": ["h": 1, "w": 24, "x": 0, "y": .integer(top)],
            ])
            for (place, panel) in own.enumerated() {
                panels.append(
                    panel.value(
                        id: panels.count + 1, x: 12 * (place % 2), y: top + 1 + height * (place / 2),
                        height: height))
            }
        }
        return [
            "title": .text("URL filter: \(plan.scenario)"),
            "description": .text(plan.head("grafana").joined(separator: "\n")), "tags": ["urlfilter"],
            "schemaVersion": .integer(Self.schemaVersion), "version": 1, "editable": true,
            "timezone": "browser", "refresh": "1m", "time": ["from": "now-24h", "to": "now"],
            "templating": [
                "list": [
                    [
                        "name": "datasource", "label": "Prometheus", "type": "datasource",
                        "query": "prometheus",
                    ]
                ]
            ],
            "panels": .list(panels),
        ]
    }
}

/// A diagram over time.
struct Panel {
    var title: String
    var description: String
    var unit: String
    /// Queries with their legends.
    var queries: [(String, String)]
    /// Levels from which on a line is drawn, ascending, with the colour.
    var lines: [(Double, String)] = []

    private static let source: ManifestValue = ["type": "prometheus", "uid": "${datasource}"]

    func value(id: Int, x: Int, y: Int, height: Int) -> ManifestValue {
        // The first level has no number in Grafana: all that is below the next one.
        let steps: [ManifestValue] =
            [["color": "green"]]
            + lines.map { ["value": .number($0.0), "color": .text($0.1)] }
        return [
            "id": .integer(id), "type": "timeseries", "title": .text(title),
            "description": .text(description), "datasource": Self.source,
            "gridPos": [
                "h": .integer(height), "w": 12, "x": .integer(x), "y": .integer(y),
            ],
            "fieldConfig": [
                "defaults": [
                    "unit": .text(unit), "min": 0, "thresholds": ["mode": "absolute", "steps": .list(steps)],
                    "custom": ["thresholdsStyle": ["mode": .text(lines.isEmpty ? "off" : "line")]],
                ],
                "overrides": [],
            ],
            "options": [
                "legend": ["displayMode": "list", "placement": "bottom", "showLegend": true],
                "tooltip": ["mode": "multi", "sort": "desc"],
            ],
            "targets": .list(
                queries.enumerated().map { place, query in
                    [
                        "refId": .text(String(UnicodeScalar(UInt8(65 + place % 26)))), "expr": .text(query.0),
                        "legendFormat": .text(query.1), "datasource": Self.source,
                    ]
                }),
        ]
    }
}
