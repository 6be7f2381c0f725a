import EventSimulation

/// The Privacy Pass tokens of all devices: how many, and how old.
///
/// Tokens are used in the order in which they came, so each device has a short line of seconds, the oldest
/// token first. One array for the whole fleet, because a device is one of a million.
struct TokenStocks {
    /// Most tokens of one device.
    let capacity: Int
    private var counts: [UInt8]
    /// `capacity` places per device: the simulated second in which each token came.
    private var seconds: [Int32]

    /// - Parameter capacity: In `1...255`.
    init(deviceCount: Int, capacity: Int) {
        self.capacity = capacity
        counts = Array(repeating: 0, count: deviceCount)
        seconds = Array(repeating: 0, count: deviceCount * capacity)
    }

    func count(of device: Int) -> Int { Int(counts[device]) }

    /// - Precondition: The device has fewer tokens than `capacity`.
    mutating func add(to device: Int, at second: Int64) {
        precondition(count(of: device) < capacity, "device \(device) already has \(capacity) tokens")
        seconds[device * capacity + count(of: device)] = Int32(clamping: second)
        counts[device] += 1
    }

    mutating func removeOldest(_ number: Int, of device: Int) {
        precondition(number <= count(of: device), "device \(device) has no \(number) tokens to use")
        let first = device * capacity
        for place in first..<(first + count(of: device) - number) {
            seconds[place] = seconds[place + number]
        }
        counts[device] -= UInt8(number)
    }

    /// Tokens that came before this second.
    func count(of device: Int, olderThan second: Int64) -> Int {
        let first = device * capacity
        return seconds[first..<(first + count(of: device))].prefix { Int64($0) < second }.count
    }
}

extension SimulatedTime {
    /// Whole seconds since the start, rounded down.
    var wholeSeconds: Int64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
