/// A slot and what it was used for at the time: the name is void when the slot was emptied.
struct SlotName: BitwiseCopyable {
    var slot: UInt32
    var generation: UInt32
}

/// Slots that are used again, so that a running exchange or a waiting URL is an index.
///
/// An element stays in its slot, unused, until the next one takes its place: an optional one would be copied whole for
/// each of its fields that is read.
struct SlotPool<Element> {
    private var elements: [Element] = []
    /// How often each slot was filled or emptied: odd while it is in use.
    private var generations: [UInt32] = []
    private var free: [Int] = []

    var count: Int { elements.count - free.count }

    mutating func insert(_ element: Element) -> Int {
        if let slot = free.popLast() {
            elements[slot] = element
            generations[slot] &+= 1
            return slot
        }
        elements.append(element)
        generations.append(1)
        return elements.count - 1
    }

    @discardableResult
    mutating func remove(_ slot: Int) -> Element {
        precondition(isUsed(slot), "slot \(slot) is empty")
        generations[slot] &+= 1
        free.append(slot)
        return elements[slot]
    }

    func name(of slot: Int) -> SlotName {
        SlotName(slot: UInt32(slot), generation: generations[slot])
    }

    /// Whether the slot still holds what the name was given for.
    func contains(_ name: SlotName) -> Bool { generations[Int(name.slot)] == name.generation }

    private func isUsed(_ slot: Int) -> Bool { !generations[slot].isMultiple(of: 2) }

    /// Element of the slot, in place: an exchange is too large to be copied for each of its fields.
    ///
    /// - Precondition: The slot is in use.
    subscript(slot: Int) -> Element {
        _read { yield elements[slot] }
        _modify { yield &elements[slot] }
    }

    func forEach(_ body: (Element) -> Void) {
        for slot in elements.indices where isUsed(slot) { body(elements[slot]) }
    }
}
