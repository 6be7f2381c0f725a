import Decoding
import EventSimulation

/// The Privacy Pass tokens of all devices: how many, and how old.
///
/// Tokens are used in the order in which they came, so each device has a line of the simulated seconds in which they
/// did.
struct TokenStocks {
    private var seconds: DeviceQueues<Int32>

    init(deviceCount: Int) { seconds = DeviceQueues(deviceCount: deviceCount) }

    func count(of device: Int) -> Int { seconds.count(of: device) }

    mutating func add(_ number: Int, to device: Int, at second: Int64) {
        for _ in 0..<number { seconds.append(Int32(clamping: second), to: device) }
    }

    mutating func removeOldest(_ number: Int, of device: Int) {
        precondition(number <= count(of: device), "device \(device) has no \(number) tokens to use")
        for _ in 0..<number { _ = seconds.removeFirst(of: device) }
    }

    /// Tokens that came before this second.
    func count(of device: Int, olderThan second: Int64) -> Int {
        seconds.prefixCount(of: device, below: Int32(clamping: second))
    }
}

extension SimulatedTime {
    /// Whole seconds since the start, rounded down.
    var wholeSeconds: Int64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: .seconds(1))
        return remainder < 0 ? quotient - 1 : quotient
    }
}
