package import DeviceNetwork
package import LiveStack
package import NIOCore
import TestSupport

extension Patience {
    package static let amount = TimeAmount.seconds(Int64(seconds))
}

extension LiveStackOptions {
    package static func patient(
        _ parties: Set<Party> = Set(Party.allCases), coreCount: Int
    ) -> LiveStackOptions {
        LiveStackOptions(parties: parties, coreCount: coreCount).patient
    }

    /// The same servers, which send nobody away for being slow: the machine may be busy with other tests.
    package var patient: LiveStackOptions {
        var options = self
        options.queueTime = Patience.ceiling
        options.upstreamTime = Patience.ceiling
        options.limits.headTime = Patience.ceiling
        options.limits.keepAliveTime = Patience.ceiling
        options.limits.contentTime = Patience.ceiling
        options.limits.responseTime = Patience.ceiling
        return options
    }
}

extension HTTPCaller.Settings {
    /// A caller that waits for servers that share the machine with other tests.
    package static var patient: HTTPCaller.Settings {
        var settings = HTTPCaller.Settings()
        settings.timeoutSeconds = Double(Patience.seconds)
        return settings
    }
}
