/// The verbs of the second program, `urlfilter-live`: whatever listens or talks on a network.
package enum LiveVerb: String, CaseIterable {
    case open, serve, replay, doctor, watch, validate

    /// One sentence for lists of commands.
    package var abstract: String {
        switch self {
        case .open: "Open the workbench in a browser: scenarios, knobs, runs and reports."
        case .serve: "Run relay, gateway, issuer and PIR server on this machine."
        case .replay: "Replay a trace against running servers, with a device per client."
        case .doctor: "Check a deployment against what Apple and devices demand."
        case .watch: "Hold servers that run against their plan: what has changed, and what it means."
        case .validate: "Hold the simulator against queueing theory, known truths and the live stack."
        }
    }
}
