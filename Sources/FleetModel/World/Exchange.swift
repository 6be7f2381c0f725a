import EventSimulation
import URLFilter

/// One HTTP request on its way through relay, gateway and service, and back.
struct Exchange {
    /// The next thing that happens to an exchange. One event is pending for it, except while it waits in a
    /// queue and when it is lost.
    enum Step: UInt8 {
        case reachesRelay, reachesGateway, isOpened, reachesService, isAnswered, returnsToGateway, isSealed
        case returnsToDevice, ends
        /// An error takes the way back to the device.
        case fails
        /// Nobody will answer; the device finds out when its patience ends.
        case isLost
    }

    var device: Int
    var endpoint: Endpoint
    var started: SimulatedTime
    var step = Step.reachesRelay
    var requestBytes = 0
    var responseBytes = 0
    /// HTTP status of an error made on the way; 0 for none or for silence.
    var failureStatus = 0
    /// For `.queries`: the device's batch and its keys.
    var batch: PendingBatch?
    /// Keys of the batch, which is gone when the device waits no longer.
    var keywordCount = 0
    var outcome: ExchangeOutcome?
    /// An answer or an error has reached the device, so its patience no longer matters.
    var isBack = false
    /// The device waits no longer. The servers do not know and go on.
    var isGivenUp = false
    /// Which of the device's token keys an `.issue` request was made with.
    var tokenKeyNumber: UInt8 = 0
    /// Edition of the list that answers a `.queries` request.
    var databaseEdition: UInt32 = 1
    /// The PIR server answers it along with another one.
    var isCompanion = false
    /// When the current wait in a queue began.
    var queued = SimulatedTime.start
    var deviceTime = SimulatedDuration.zero
    /// Bytes over bandwidth, both ways.
    var transmission = SimulatedDuration.zero
    var gatewayWaiting = SimulatedDuration.zero
    var gatewayWorking = SimulatedDuration.zero
    var serviceWaiting = SimulatedDuration.zero
    var serviceWorking = SimulatedDuration.zero
}

/// Keys that a device has to ask the server about.
struct PendingBatch {
    var number: BatchNumber
    /// Raw values of ``HitKey``.
    var keys: [UInt64]
    var deadline: SimulatedTime
    /// The URL that asked first belongs to the observed period.
    var counted: Bool
}

/// A slot and what it was used for at the time: the name is void when the slot was emptied.
struct SlotName: BitwiseCopyable {
    var slot: UInt32
    var generation: UInt32
}

/// Slots that are used again, so that a running exchange or a waiting URL is an index.
struct SlotPool<Element> {
    private var slots: [Element?] = []
    /// How often each slot was emptied.
    private var generations: [UInt32] = []
    private var free: [Int] = []

    var count: Int { slots.count - free.count }

    mutating func insert(_ element: Element) -> Int {
        if let slot = free.popLast() {
            slots[slot] = element
            return slot
        }
        slots.append(element)
        generations.append(0)
        return slots.count - 1
    }

    @discardableResult
    mutating func remove(_ slot: Int) -> Element {
        guard let element = slots[slot] else { preconditionFailure("slot \(slot) is empty") }
        slots[slot] = nil
        generations[slot] &+= 1
        free.append(slot)
        return element
    }

    func name(of slot: Int) -> SlotName {
        SlotName(slot: UInt32(slot), generation: generations[slot])
    }

    /// Whether the slot still holds what the name was given for.
    func contains(_ name: SlotName) -> Bool { generations[Int(name.slot)] == name.generation }

    /// In place: an exchange is too large to be copied for each of its fields.
    ///
    /// - Precondition: The slot is in use.
    subscript(slot: Int) -> Element {
        _read { yield slots[slot]! }
        _modify { yield &slots[slot]! }
    }

    func forEach(_ body: (Element) -> Void) {
        for case let element? in slots { body(element) }
    }
}
