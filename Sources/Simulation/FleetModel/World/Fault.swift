package import EventSimulation

/// A scheduled failure of a part.
package struct Fault: Sendable {
    package enum Kind: Sendable {
        /// The part refuses every request at once (`silent`: leaves it unanswered).
        case outage(Part, silent: Bool)
        /// The part restarts: its queue is lost and so is what it keeps in memory: evaluation keys and
        /// spent tokens (pir), token keys (issuer).
        case restart(Part)
        /// Times of the part are multiplied by `factor`: service times, for the relay its delay, for the
        /// prefilter's origin the time to send. Several at once multiply each other.
        case slowDown(Part, factor: Double)
        /// So many instances of the part stop taking requests: too few are left for the load. What they work on is
        /// finished.
        case instanceLoss(Part, instances: Int)
        /// The instances of the part are replaced batch by batch, for a new version. Successors begin with an empty
        /// memory.
        case deployment(Part, Deployment)
        /// The relay refuses request bodies above `bytes`.
        case sizeCap(bytes: Int)
        /// The relay cannot reach the gateway, or does not know its host: it answers 504 at once, and no request
        /// arrives.
        case relayWithoutGateway
        /// No part of a region can be reached. What it keeps is not lost.
        case regionLoss(String, silent: Bool)
        /// The network of one group (all groups when `nil`) answers everything itself.
        case captivePortal(group: String?)
    }

    /// How the instances of a part are replaced.
    package struct Deployment: Hashable, Sendable {
        /// Instances replaced at the same time.
        package var batch: Int
        /// Time from the last request that an instance gets until it stops; what waits then ends with 503.
        package var drain: SimulatedDuration
        /// Time from then until its successor takes requests.
        package var start: SimulatedDuration

        package init(batch: Int, drain: SimulatedDuration, start: SimulatedDuration) {
            precondition(batch >= 1, "a batch has at least one instance, got \(batch)")
            self.batch = batch
            self.drain = drain
            self.start = start
        }

        /// Length of a restart of so many instances.
        package func length(instances: Int) -> SimulatedDuration {
            (drain + start) * Double((instances + batch - 1) / batch)
        }
    }

    package var kind: Kind
    package var begin: SimulatedDuration
    /// Ignored by `restart`, which is instantaneous.
    package var length: SimulatedDuration

    package init(kind: Kind, begin: SimulatedDuration, length: SimulatedDuration) {
        self.kind = kind
        self.begin = begin
        self.length = length
    }

    /// Time when the part works again; for `restart` the restart itself.
    package var end: SimulatedDuration { hasLength ? begin + length : begin }

    var hasLength: Bool {
        if case .restart = kind { return false }
        return true
    }
}

extension Fault: CustomStringConvertible {
    /// Name of the fault, without the time: `outage of pir`.
    package var description: String {
        switch kind {
        case .outage(let part, silent: false): "outage of \(part)"
        case .outage(let part, silent: true): "silent outage of \(part)"
        case .restart(let part): "restart of \(part)"
        case .slowDown(let part, let factor): "\(part) slower by \(factor)"
        case .instanceLoss(let part, let instances): "\(part) without \(instances) instances"
        case .deployment(let part, let deployment): "deployment of \(part) by \(deployment.batch)"
        case .relayWithoutGateway: "relay without gateway"
        case .sizeCap(let bytes): "relay cap of \(bytes) bytes"
        case .regionLoss(let region, silent: false): "region \(region) lost"
        case .regionLoss(let region, silent: true): "region \(region) silent"
        case .captivePortal(nil): "captive portal"
        case .captivePortal(let group?): "captive portal at \(group)"
        }
    }
}

extension Fault.Kind {
    /// The part that does not work as it should; `nil` for what happens to all messages, or to a network.
    package var part: Part? {
        switch self {
        case .outage(let part, silent: _), .restart(let part), .slowDown(let part, factor: _),
            .instanceLoss(let part, instances: _), .deployment(let part, _):
            part
        case .sizeCap, .relayWithoutGateway, .captivePortal, .regionLoss: nil
        }
    }

    func concerns(_ part: Part) -> Bool {
        if case .regionLoss(let region, silent: _) = self { return part.region == region }
        return self.part == part
    }
}
