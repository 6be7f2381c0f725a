/// A short line of numbers per device, oldest first: one array for the whole fleet.
struct EpochStocks {
    private var counts: [UInt8]
    /// `capacity` places per device.
    private var epochs: [Int16]
    private var capacity = 10

    init(deviceCount: Int) {
        counts = Array(repeating: 0, count: deviceCount)
        epochs = Array(repeating: 0, count: deviceCount * capacity)
    }

    mutating func append(_ epoch: Int16, to device: Int) {
        if Int(counts[device]) == capacity { grow() }
        epochs[device * capacity + Int(counts[device])] = epoch
        counts[device] += 1
    }

    /// `nil` if there is none.
    mutating func removeFirst(of device: Int) -> Int16? {
        guard counts[device] > 0 else { return nil }
        let first = device * capacity
        let epoch = epochs[first]
        counts[device] -= 1
        for place in first..<(first + Int(counts[device])) { epochs[place] = epochs[place + 1] }
        return epoch
    }

    private mutating func grow() {
        precondition(capacity < Int(UInt8.max), "a device cannot have more than \(UInt8.max) tokens")
        let larger = min(capacity * 2, Int(UInt8.max))
        var moved = [Int16](repeating: 0, count: counts.count * larger)
        for device in counts.indices {
            for place in 0..<Int(counts[device]) {
                moved[device * larger + place] = epochs[device * capacity + place]
            }
        }
        epochs = moved
        capacity = larger
    }
}
