/// The files of the page, which are inside the program: nothing is loaded from anywhere else.
struct PageFile: Sendable {
    let type: String
    let bytes: [UInt8]

    var answer: WorkbenchAnswer { WorkbenchAnswer(.bytes(bytes), type: type) }

    private static let script = "text/javascript; charset=utf-8"

    private static let all: [String: PageFile] = [
        "/": PageFile(type: "text/html; charset=utf-8", bytes: PackageResources.page_html),
        "/page.css": PageFile(type: "text/css; charset=utf-8", bytes: PackageResources.page_css),
        "/icon.svg": PageFile(type: "image/svg+xml", bytes: PackageResources.icon_svg),
        "/main.js": PageFile(type: script, bytes: PackageResources.main_js),
        "/elements.js": PageFile(type: script, bytes: PackageResources.elements_js),
        "/server.js": PageFile(type: script, bytes: PackageResources.server_js),
        "/start.js": PageFile(type: script, bytes: PackageResources.start_js),
        "/scenario.js": PageFile(type: script, bytes: PackageResources.scenario_js),
        "/form.js": PageFile(type: script, bytes: PackageResources.form_js),
        "/prefilter.js": PageFile(type: script, bytes: PackageResources.prefilter_js),
        "/chart.js": PageFile(type: script, bytes: PackageResources.chart_js),
        "/runs.js": PageFile(type: script, bytes: PackageResources.runs_js),
        "/knobs.js": PageFile(type: script, bytes: PackageResources.knobs_js),
        "/servers.js": PageFile(type: script, bytes: PackageResources.servers_js),
        "/outage.js": PageFile(type: script, bytes: PackageResources.outage_js),
        "/live.js": PageFile(type: script, bytes: PackageResources.live_js),
        "/library.js": PageFile(type: script, bytes: PackageResources.library_js),
        "/look.js": PageFile(type: script, bytes: PackageResources.look_js),
        "/timeline.js": PageFile(type: script, bytes: PackageResources.timeline_js),
        "/trace.js": PageFile(type: script, bytes: PackageResources.trace_js),
    ]

    static func named(_ path: String) -> PageFile? { all[path] }

    /// Text of all scripts, for tests.
    static var scripts: [String: String] {
        all.filter { $0.key.hasSuffix(".js") }.mapValues { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
