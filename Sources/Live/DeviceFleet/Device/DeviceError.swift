package import URLFilter

/// Why a step of a device failed.
package enum DeviceError: Error, Hashable, CustomStringConvertible {
    /// No service answered.
    case exchange(Endpoint, ExchangeError)
    /// The service answered with another status than 200.
    case refused(Endpoint, status: Int, reason: String)
    /// The answer is not what the step needs.
    case unusable(Endpoint, reason: String)
    /// The device is not set up, or has been stopped.
    case notReady

    /// Wraps what the protocol code throws.
    init(_ error: any Error, at step: Endpoint) {
        switch error {
        case let error as DeviceError: self = error
        case let error as ExchangeError: self = .exchange(step, error)
        default: self = .unusable(step, reason: "\(error)")
        }
    }

    /// Why the lookup failed that this step was of.
    package var cause: FailureCause {
        switch self {
        case .exchange(_, .timedOut): .timeout
        case .exchange(let step, .refusedOnTheWay(let status, _)), .refused(let step, let status, _):
            FailureCause(of: step, status: status)
        case .exchange(let step, .unreachable), .exchange(let step, .unusable), .unusable(let step, _):
            FailureCause(of: step, status: 0)
        case .notReady: .notReady
        }
    }

    /// Short name for tables; says the step and what kind of failure it was.
    package var kind: String {
        switch self {
        case .exchange(let step, let error): "\(step.rawValue): \(error.kind)"
        case .refused(let step, let status, _): "\(step.rawValue): status \(status)"
        case .unusable(let step, _): "\(step.rawValue): unusable answer"
        case .notReady: "device not ready"
        }
    }

    package var description: String {
        switch self {
        case .exchange(let step, let error): "\(step.rawValue): \(error)"
        case .refused(let step, let status, let reason):
            "\(step.rawValue): the service answered with status \(status)"
                + (reason.isEmpty ? "" : ": \(reason)")
        case .unusable(let step, let reason): "\(step.rawValue): the answer cannot be used: \(reason)"
        case .notReady: "the device is not set up; it needs a configuration and an evaluation key first"
        }
    }

    /// The status of the service's own answer, if there was one.
    package var status: Int? {
        if case .refused(_, let status, _) = self { status } else { nil }
    }
}
