/// An error whose cause is what somebody gave the program: a file, an option, an address.
///
/// Every module's errors about its input say so, and the program ends with the exit code for bad input.
package protocol InputFault: Error {
    /// Whether this error is the input's fault; others of the same type are the machine's or our own.
    var isOfInput: Bool { get }
}

extension InputFault {
    package var isOfInput: Bool { true }
}
