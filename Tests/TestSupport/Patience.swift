package import NIOCore

/// How long a test waits for what must come.
///
/// No test decides by wall time: it waits for an event, and this ceiling only ends a wait that would never end. It is far
/// beyond what the slowest machine needs that computes other things meanwhile, so that to reach it is a defect.
package enum Patience {
    package static let seconds = 600
    package static let ceiling = Duration.seconds(seconds)
    package static let amount = TimeAmount.seconds(Int64(seconds))
}
