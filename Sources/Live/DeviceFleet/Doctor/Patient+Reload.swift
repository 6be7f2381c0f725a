import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import URLFilter

/// Checks of what becomes of a device that has not fetched the configuration since the service took new data, and of
/// whether the service took them.
extension Patient {
    mutating func judgeReload(_ findings: inout DoctorFindings) async {
        guard let reload = settings.reload else {
            let why = "name --reload, the command with which the service takes new data"
            findings.skip(.oldQuery, why)
            return findings.skip(.reloadedData, why)
        }
        let before = client.session.configurationID
        do {
            try await reload()
        } catch {
            findings.skip(.oldQuery, "the reload failed: \(error)")
            return findings.skip(.reloadedData, "the reload failed: \(error)")
        }
        await judgeOldQuery(&findings)
        do {
            try await fetchConfiguration()
        } catch {
            return findings.fail(.reloadedData, "no configuration behind the reload: \(error)")
        }
        await judgeData(since: Self.hexadecimal(before), &findings)
    }

    /// An empty answer is worse than an error: a device takes it for the truth.
    private mutating func judgeOldQuery(_ findings: inout DoctorFindings) async {
        do {
            let (request, pending) = try client.queriesRequest(
                [Array(TestEntry.validated.utf8)], using: &generator)
            let response = try await send(.queries, request)
            if response.status == 410 {
                return findings.pass(.oldQuery, "status 410, upon which devices fetch the configuration")
            }
            guard case .present(let present) = try read(response, to: pending), present.count == 1 else {
                throw DoctorFault("there is no answer to the keyword")
            }
            if present[0] {
                findings.pass(.oldQuery, "still answered, and rightly")
            } else {
                findings.fail(.oldQuery, "status 200, and the listed \(TestEntry.validated) reads as absent")
            }
        } catch {
            findings.fail(.oldQuery, "neither its answer nor 410: \(error)")
        }
    }

    private mutating func fetchConfiguration() async throws {
        let (request, pending) = try client.configRequest()
        guard case .keyUploadNeeded(true) = try read(await send(.config, request), to: pending) else {
            return
        }
        let (upload, key) = try client.keyRequest(second: Self.unixSecond, using: &generator)
        _ = try read(await send(.key, upload), to: key)
    }

    /// The identifier is a hash of the configuration, so other data in tables of the same sizes have the same one.
    /// Whether the data are new is seen in an entry of theirs.
    private mutating func judgeData(since before: String, _ findings: inout DoctorFindings) async {
        let after = Self.hexadecimal(client.session.configurationID)
        guard after == before else {
            return findings.pass(.reloadedData, "configuration \(before) became \(after)")
        }
        let same = "configuration \(before) before and after"
        guard !settings.newEntries.isEmpty else {
            return findings.note(
                .reloadedData,
                "\(same): the same data, or others of the same sizes; --new-entries tells which")
        }
        switch await missingNewEntries() {
        case .success(let missing) where missing.isEmpty:
            findings.pass(.reloadedData, "\(same), and the new entries are there")
        case .success(let missing):
            findings.fail(
                .reloadedData,
                "\(same), and \(missing.count) of \(settings.newEntries.count) new entries are absent")
        case .failure(let fault):
            findings.fail(.reloadedData, "\(same), and no answer about new entries: \(fault)")
        }
    }

    private static func hexadecimal(_ identifier: some Sequence<UInt8>) -> String {
        identifier.prefix(4).map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }
}
