import Foundation
import ObliviousHTTP
import Workload

extension BinaryHTTPRequest {
    /// Whether the response may be compressed with gzip (RFC 9110, section 12.5.3).
    var takesGzip: Bool {
        let codings = fields.filter { $0.name.lowercased() == "accept-encoding" }
            .flatMap { ($0.text ?? "").lowercased().split(separator: ",") }
        for coding in codings {
            let parts = coding.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let name = parts.first, ["gzip", "x-gzip", "*"].contains(name) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
            return weight.map { (Double($0.dropFirst(2)) ?? 0) > 0 } ?? true
        }
        return false
    }
}

extension BinaryHTTPResponse {
    /// The response with its content compressed, if it is shorter.
    ///
    /// Apple's example server does so for `/config` and for nothing else (article "PIR protocol", section "Endpoints"):
    /// what is encrypted does not get shorter.
    var compressed: BinaryHTTPResponse {
        guard status == 200, let compressed = Gzip.compress(content), compressed.count < content.count
        else { return self }
        var response = self
        response.content = compressed
        response.fields.append(BinaryHTTPField("content-encoding", "gzip"))
        return response
    }
}
