import FleetModel

/// Harms of the time in which no fault is felt, so that a fault which somebody made up does not stand for every day.
///
/// A load counts as met by a fault as ``FaultHarms`` says. Absent where there are no faults.
extension Metric {
    /// The share of the listed URLs of those loads.
    package static let leakedOutsideFaults = share("url.leaked.outsideFaults", .lower) { record in
        record.faultHarms.map { record.urls.leaked - $0.leaked } ?? 0
    } of: { record in
        record.faultHarms.map { record.urls.listed - $0.listed } ?? 0
    }

    package static let falselyBlockedOutsideFaults = count(
        "url.falselyBlocked.outsideFaults", "count", .lower
    ) { record in
        record.faultHarms.map { record.urls.falselyBlocked - $0.falselyBlocked }
    }

    package static let brokenOutsideFaults = count("page.broken.outsideFaults", "count", .lower) { record in
        record.faultHarms.map { record.brokenPages - $0.brokenPages }
    }
}
