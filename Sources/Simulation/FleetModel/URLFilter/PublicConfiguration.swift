import EventSimulation
import URLFilter

/// The configuration that Apple's infrastructure gives to everybody, without token and pseudonym (iOS 27.3).
///
/// The cache stands where the relay stands, and asks the operator once in each
/// ``GenerationRules/configurationCacheDelay``: those few requests are left out.
extension URLFilterModel {
    mutating func askPublicCache(_ device: Int, in world: inout World, _ agenda: inout Future) {
        let region = world.home(of: device)
        let path = world.path(of: device, at: agenda.now)
        var delay = SimulatedDuration.zero
        for leg in [Leg.uplink, .relayed(by: Place.relay), .relayed(by: Place.relay), .downlink] {
            delay += world.delay(of: leg, device: device, region: region, path: path)
        }
        let availability = world.faults.availability(of: Place.relay)
        if availability == .silent { delay = world.configuration.behaviour.exchangeTimeout }
        let isThere = availability == .up && !world.faults.isCaptive(group: world.group(of: device))
        agenda.schedule(
            .filter(.publicConfiguration(device: UInt32(device), isThere: isThere)), after: delay)
    }

    mutating func takePublicConfiguration(
        _ device: Int, isThere: Bool, in world: inout World, _ agenda: inout Future
    ) throws {
        guard isThere else {
            return try tell(
                device, .ended(.config, .failure(status: 0), tokenKey: 0), in: &world, &agenda)
        }
        let delay = exchangeRules[world.group(of: device)].generation.configurationCacheDelay ?? 0
        // The copy was made at the last multiple of the delay.
        let age = delay > 0 ? agenda.now.nanoseconds % delay : 0
        let made = SimulatedTime(nanoseconds: agenda.now.nanoseconds - age)
        noteConfiguration(of: device, edition: loadedEdition(at: made))
        try work.receivePublicConfiguration(device: device)
        try tell(
            device, .ended(.config, .success(keyUploadNeeded: false), tokenKey: 0), in: &world, &agenda)
    }
}
