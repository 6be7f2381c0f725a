import EventSimulation

/// Bytes that a device fetches from an origin, not through the relay.
struct Download {
    let device: Int
    /// Content of the download, as a number that the filter knows.
    let tag: UInt32
    /// Bytes that the device's lines have still to send.
    var rest: Int
    /// Lines that the next piece has behind it.
    var linesPassed = 0
}

extension Download {
    /// Bytes that take their turn on a shared line together, so that short messages pass a download: the size of a
    /// burst on the wire that a home router may send at once (64 KiB, largest segment offload of Ethernet adapters).
    /// Assumption.
    static let pieceLength = 65_536
}

extension World {
    /// Fetches bytes for a device; ``FilterArchitecture/takeDownload(_:device:in:_:)`` follows when they are there.
    ///
    /// The name, the handshake and the windows are those of a connection that nobody has used: hours pass between two
    /// downloads.
    ///
    /// - Parameters:
    ///   - sending: Time that the origin needs for the bytes.
    mutating func download<Own>(
        _ bytes: Int, tag: UInt32, device: Int, sending: SimulatedDuration,
        _ agenda: inout Agenda<FleetEvent<Own>>
    ) {
        let rate = min(access(of: device).downlink, lines.siteRate(.down, group: group(of: device)))
        let path = path(of: device, at: agenda.now)
        var delay = accessRoundTrip(device, path: path) + sending
        delay += setUpForDownload(device, bytes: bytes, rate: rate, path: path, at: agenda.now)
        var download = Download(device: device, tag: tag, rest: bytes)
        if !lines.areShared(byGroup: group(of: device)) {
            download.rest = 0
            delay += .seconds(Double(bytes) / rate)
        }
        let slot = downloads.insert(download)
        agenda.schedule(.world(.download(UInt32(slot))), after: delay)
    }

    /// Lets the next piece of a download through the lines, as soon as each is free for it.
    ///
    /// - Returns: The download when its last byte is there.
    mutating func advanceDownload<Own>(_ slot: Int, _ agenda: inout Agenda<FleetEvent<Own>>) -> Download? {
        let device = downloads[slot].device
        let piece = min(downloads[slot].rest, Download.pieceLength)
        guard piece > 0 else { return downloads.remove(slot) }
        let group = group(of: device)
        let ownRate = access(of: device).downlink
        while downloads[slot].linesPassed < 2 {
            downloads[slot].linesPassed += 1
            let start =
                downloads[slot].linesPassed == 1
                ? lines.takeSite(of: device, group: group, .down, bytes: piece, at: agenda.now)
                : lines.takeOwn(device, .down, for: .seconds(Double(piece) / ownRate), at: agenda.now)
            guard start == agenda.now else {
                agenda.schedule(.world(.download(UInt32(slot))), at: start)
                return nil
            }
        }
        downloads[slot].linesPassed = 0
        downloads[slot].rest -= piece
        let rate = min(ownRate, lines.siteRate(.down, group: group))
        agenda.schedule(.world(.download(UInt32(slot))), after: .seconds(Double(piece) / rate))
        return nil
    }
}
