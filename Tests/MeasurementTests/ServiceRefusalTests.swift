import PrivateInformationRetrieval
import ServiceRules
import Testing
import URLFilter

/// Why a request is refused, the status for it, and what a device makes of that.
struct ServiceRefusalTests {
    /// Article "PIR protocol", section "Statuses".
    @Test func theServiceAnswersAsTheProtocolSays() {
        let statuses: [(PIRServiceError, Int)] = [
            (.bodyTooLarge(2, limit: 1), 413), (.tooManyParts(limit: 1), 413),
            (.tooManyQuestions(limit: 1), 413),
            (.tooManyUsecases(2, limit: 1), 400), (.tooManyKeys(2, limit: 1), 400),
            (.configurationIDCount(2, usecaseCount: 1), 400), (.noSuchUsecase("x"), 404),
            (.unknownUsecase("x"), 400), (.configurationGone("x"), 410), (.unknownKeyConfiguration, 400),
            (.evaluationKeyNotFound, 400), (.evaluationKeyOfOtherConfiguration, 400),
            (.evaluationKeysUnreadable, 503), (.notImplemented("x"), 501),
        ]
        for (error, status) in statuses { #expect(error.status == status, "\(error)") }
    }

    /// A device sees the status only, and does for each reason what helps against it.
    @Test func aDeviceTellsReasonsApart() {
        let causes: [ServiceRefusal: FailureCause] = [
            .keyMissing: .keyMissing, .tokenNotTaken: .tokenRefused, .tokenRequestUnusable: .noToken,
            .budgetExhausted: .noToken, .busy: .unavailable, .stateUnavailable: .unavailable,
            .configurationGone: .configurationGone, .tooLarge: .tooLarge, .nextPartySilent: .unavailable,
        ]
        for (refusal, cause) in causes { #expect(refusal.cause == cause) }
        for refusal in ServiceRefusal.allCases {
            #expect((400..<600).contains(refusal.status))
            // Only who refuses for want of room, or of a disk, knows that time helps.
            #expect((refusal.retrySeconds != nil) == (refusal.status == 503))
        }
    }
}
