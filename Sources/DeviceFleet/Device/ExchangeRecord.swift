package import URLFilter

/// One exchange of one device, as the device saw it.
package struct ExchangeRecord: Sendable {
    package var step: Endpoint
    /// Start, and time to the last byte of the answer.
    package var started: ContinuousClock.Instant
    package var duration: Duration
    package var sentBytes: Int
    package var receivedBytes: Int
    /// Nil when the service answered with status 200 and the device could use the answer.
    package var failure: DeviceError?
}

/// Takes note of every exchange. Called from many tasks at once.
package typealias ExchangeObserver = @Sendable (ExchangeRecord) -> Void
