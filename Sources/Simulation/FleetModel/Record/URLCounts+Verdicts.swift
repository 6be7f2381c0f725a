import URLFilter

extension URLCounts {
    mutating func count(_ verdict: Verdict, cause: FailureCause, times: Int = 1) {
        switch verdict {
        case .allowedByPrefilter: allowedByPrefilter += times
        case .allowedByServer: allowedByServer += times
        case .blockedByServer: blockedByServer += times
        case .allowedByPolicy:
            allowedByPolicy += times
            policyCauses[cause, default: 0] += times
        case .blockedByPolicy:
            blockedByPolicy += times
            policyCauses[cause, default: 0] += times
        }
    }
}

extension Verdict {
    var blocks: Bool { self == .blockedByServer || self == .blockedByPolicy }
    var isByPolicy: Bool { self == .allowedByPolicy || self == .blockedByPolicy }
}
