import DeviceFleet
import ObliviousHTTP
import Parties
import URLFilter

/// Examinations of deployments that are made up.
enum DoctorBench {
    static func examine(
        _ stack: StackDouble, sealed: Bool = false,
        records: Doctor.TextRecords = .found(["apple-url-filter=com.example.workbench"]),
        hosts: Doctor.HostAddresses? = nil,
        now: Double = StackDouble.dateSeconds, _ change: (inout Doctor.Settings) -> Void = { _ in }
    ) async throws -> DoctorReport {
        var settings = Self.settings(sealed: sealed)
        change(&settings)
        let addresses = hosts.map { hosts -> Doctor.AddressLookup in { _ in hosts } }
        return await Doctor(
            settings, http: stack, textRecords: { _ in records }, addresses: addresses, now: { now }
        ).examine()
    }

    static func settings(sealed: Bool) -> Doctor.Settings {
        guard let service = try? ServiceAddress("https://pir.example"),
            let issuer = try? ServiceAddress("https://issuer.example")
        else { preconditionFailure("these are addresses") }
        var deployment = Deployment(service: service, issuer: issuer)
        if sealed {
            deployment.route = .oblivious(
                resource: StackDouble.gatewayURL, keys: StackDouble.gatewayURL)
        }
        return Doctor.Settings(
            serviceText: "https://pir.example", issuerText: "https://issuer.example",
            deployment: deployment, usecase: PIRDatabase.usecaseName, userToken: "user")
    }
}

extension DoctorReport {
    var failures: [DoctorCheck] { lines.filter { $0.outcome == .fail }.map(\.check) }

    func line(_ check: DoctorCheck) -> Line? { lines.first { $0.check == check } }
}

extension BinaryHTTPRequest {
    var isDirectory: Bool { path == "/.well-known/private-token-issuer-directory" }
    var token: String? { fields.first { $0.name == "authorization" }?.text }
}
