/// A first-in first-out line that reuses its storage, for elements that hold nothing that has to be released soon.
@usableFromInline
struct RingQueue<Element: Sendable>: Sendable {
    /// A power of two, or empty before the first element. Places outside the
    /// line hold old elements that mean nothing.
    @usableFromInline var places: [Element] = []
    @usableFromInline var head = 0
    @usableFromInline var count = 0

    @inlinable
    init() {}

    @inlinable
    var first: Element? { count > 0 ? places[head] : nil }

    @inlinable
    mutating func append(_ element: Element) {
        if count == places.count { grow(with: element) }
        places[(head &+ count) & (places.count &- 1)] = element
        count &+= 1
    }

    @inlinable
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = places[head]
        head = (head &+ 1) & (places.count &- 1)
        count &-= 1
        return element
    }

    @inlinable
    mutating func removeAll() {
        head = 0
        count = 0
    }

    /// First come first.
    @inlinable
    func forEach(_ body: (Element) -> Void) {
        for offset in 0..<count { body(places[(head + offset) & (places.count - 1)]) }
    }

    @inlinable
    @inline(never)
    mutating func grow(with filler: Element) {
        var larger: [Element] = []
        let capacity = max(16, places.count * 2)
        larger.reserveCapacity(capacity)
        larger += places[head...]
        larger += places[..<head]
        larger += repeatElement(filler, count: capacity - larger.count)
        places = larger
        head = 0
    }
}
