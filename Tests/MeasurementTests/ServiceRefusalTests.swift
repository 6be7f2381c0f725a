import PrivateInformationRetrieval
import Testing
import URLFilter

/// Statuses of the model's servers beside those that the protocol code gives for the same reason.
struct ServiceRefusalTests {
    @Test func theServiceAnswersWithTheSameStatus() {
        #expect(ServiceRefusal.keyMissing.status == PIRServiceError.evaluationKeyNotFound.status)
        #expect(ServiceRefusal.stateUnavailable.status == PIRServiceError.evaluationKeysUnreadable.status)
        #expect(FailureCause(status: PIRServiceError.configurationGone("x").status) == .configurationGone)
        #expect(FailureCause(status: PIRServiceError.bodyTooLarge(2, limit: 1).status) == .tooLarge)
    }

    /// A device sees the status only, and does for each reason what helps against it.
    @Test func aDeviceTellsReasonsApart() {
        let causes: [ServiceRefusal: FailureCause] = [
            .keyMissing: .keyMissing, .tokenNotTaken: .tokenRefused, .tokenRequestUnusable: .noToken,
            .budgetExhausted: .noToken, .busy: .unavailable, .stateUnavailable: .unavailable,
        ]
        for (refusal, cause) in causes { #expect(refusal.cause == cause) }
        for refusal in ServiceRefusal.allCases {
            #expect((400..<600).contains(refusal.status))
            #expect((refusal.retrySeconds != nil) == (refusal.cause == .unavailable))
        }
    }
}
