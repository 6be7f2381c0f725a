import Decoding

extension ExitStatus {
    init(of error: any Error) {
        switch error {
        case StandardOutputError.readerGone: self = .readerGone
        case let error as any InputFault where error.isOfInput: self = .invalidInput
        default: self = .failure
        }
    }
}
