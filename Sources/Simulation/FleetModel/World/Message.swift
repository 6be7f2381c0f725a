import EventSimulation

/// One request on its way through the world, and its answer on the way back.
package struct Message: Sendable {
    /// Next step of a message. One event is pending for it, except while it waits in a queue and when it is lost.
    enum State: UInt8 {
        /// It comes to the hop ``Message/hop``.
        case arrives
        /// The service at that hop ends.
        case isServed
        /// The answer is at the device, which has to read it.
        case returns
        /// The device has read it.
        case ends
        /// An error takes the way back to the device.
        case fails
        /// Nobody will answer; the device finds out when its patience ends.
        case isLost
    }

    /// Times at one party.
    struct Stay {
        var waiting = SimulatedDuration.zero
        var working = SimulatedDuration.zero
    }

    let device: Int
    /// Place of its counts in ``Post/traffic``; with the region it says the route.
    let kind: Int
    /// Region that it is sent to.
    let region: Int
    let started: SimulatedTime
    /// Questions inside, for the readings.
    let items: Int
    var state = State.arrives
    var hop = 0
    var requestBytes = 0
    var responseBytes = 0
    /// HTTP status with which it failed; 0 when the device could do nothing with the answer, or got none.
    var failure = 0
    /// Ended well, as far as the device has read the answer.
    var succeeded = false
    /// An answer or an error has reached the device, so its patience no longer matters.
    var isBack = false
    /// The device waits no longer. The servers do not know and go on.
    var isGivenUp = false
    /// A server answers it along with another one.
    var isFollower = false
    /// Line that it is in at its station; see ``Station/lines``.
    var line: UInt32 = 0
    /// Time when the current wait in a queue began.
    var queued = SimulatedTime.start
    var deviceTime = SimulatedDuration.zero
    /// Bytes over bandwidth, both ways.
    var transmission = SimulatedDuration.zero
    /// Waking up the radio; setting up the connection, or waiting for a set-up that is under way.
    var radio = SimulatedDuration.zero
    var connection = SimulatedDuration.zero
    /// Waiting for acknowledgements while the window grows, both ways.
    var slowStart = SimulatedDuration.zero
    /// Waiting for lines that others use, both ways, and how many of the present direction are behind it.
    var lineWaiting = SimulatedDuration.zero
    var linesPassed: UInt8 = 0
    /// See ``World/path(of:at:)``.
    var path: Float = 0
    private var stays = (Stay(), Stay())

    init(device: Int, kind: Int, region: Int, items: Int, started: SimulatedTime) {
        self.device = device
        self.kind = kind
        self.region = region
        self.items = items
        self.started = started
    }

    /// Length of what goes this way.
    func bytes(_ way: Way) -> Int { way == .up ? requestBytes : responseBytes }

    /// - Parameter tally: See ``Service/tally``.
    subscript(tally: Int) -> Stay {
        get { tally == 0 ? stays.0 : stays.1 }
        _modify {
            if tally == 0 { yield &stays.0 } else { yield &stays.1 }
        }
    }
}

/// The messages of a world.
struct Post {
    /// Routes by kind, for one region after the other.
    let routes: [Route]
    var messages = SlotPool<Message>()
    /// Times when devices give messages up.
    var patience = DeadlineLine<SlotName>()
    /// All requests from the device's point of view.
    var requests = FlowLedger<RequestEnd>()
    /// Traffic of each kind; goes into the record at the end.
    var traffic: [EndpointTraffic]
    var readings: Readings

    init(routes: [Route], kindCount: Int, partCount: Int) {
        self.routes = routes
        traffic = Array(repeating: EndpointTraffic(), count: kindCount)
        readings = Readings(partCount: partCount, kindCount: kindCount)
    }

    /// Place of a message's route in ``routes``.
    @inline(__always)
    func route(of slot: Int) -> Int { messages[slot].region * traffic.count + messages[slot].kind }
}

/// How many messages each part could read, by kind, and how many questions were in them.
///
/// Counted when a part has the request before it, whatever becomes of it; by the request's start, like all counts.
struct Readings {
    private let kindCount: Int
    private var messages: [Int]
    private var items: [Int]

    init(partCount: Int, kindCount: Int) {
        self.kindCount = kindCount
        messages = Array(repeating: 0, count: partCount * kindCount)
        items = Array(repeating: 0, count: partCount)
    }

    /// - Parameter questions: Those inside the message.
    mutating func note(kind: Int, items questions: Int, at part: Int) {
        messages[part * kindCount + kind] += 1
        items[part] += questions
    }

    func messages(ofKind kind: Int, at part: Int) -> Int { messages[part * kindCount + kind] }

    func items(at part: Int) -> Int { items[part] }
}

/// How a request ended for its device.
enum RequestEnd {
    case succeeded, failed
}
