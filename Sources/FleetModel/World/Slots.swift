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
