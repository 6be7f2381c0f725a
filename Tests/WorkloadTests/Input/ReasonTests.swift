import Foundation
import Testing
import Workload

/// For each reason that a reader may give, the smallest file that has it, and no other loss.
@Suite struct ReasonTests {
    struct Sample {
        var text: String
        var bytes: [UInt8] { Array(text.utf8) + tail }
        /// What is no text.
        var tail: [UInt8] = []
        var isTrace = false
        var list = BlockListOptions(policy: .normalized)
        var trace = TraceOptions()
    }

    @Test(arguments: ReadReport.Reason.allCases) func eachReasonHasAFile(_ reason: ReadReport.Reason) throws {
        let sample = Self.sample(of: reason)
        let report = try Self.read(sample)
        #expect(report.count(of: reason) > 0, "\(report)")
        #expect(
            report.droppedCount == (reason.effect == .dropped ? report.count(of: reason) : 0), "\(report)")
        #expect(report.acceptedCount > 0, "\(report)")
    }

    private static func read(_ sample: Sample) throws -> ReadReport {
        let source = try ByteSource(bytes: sample.bytes, name: "file")
        guard sample.isTrace else { return try BlockListReader.read(source, options: sample.list).report }
        let reader = try TraceReader(source, options: sample.trace)
        while try reader.next() != nil {}
        return reader.report
    }

    private static func list(_ text: String, _ change: (inout BlockListOptions) -> Void = { _ in }) -> Sample
    {
        var sample = Sample(text: "ok1.example\nok2.example\nok3.example\n" + text + "\n")
        change(&sample.list)
        return sample
    }

    private static func asWritten(_ text: String) -> Sample {
        list(text) { ($0.policy, $0.format) = (.asWritten, .plain) }
    }

    private static func rules(_ text: String) -> Sample {
        Sample(text: "||ok1.example^\n||ok2.example^\n||a.example^\n" + text + "\n")
    }

    private static func table(_ text: String) -> Sample {
        list("") { $0.format = .delimited(separator: ";", column: .named("host")) }.with(
            "kind;host\nx;ok.example\n" + text)
    }

    private static func log(_ text: String) -> Sample { Sample(text: text + "\n", isTrace: true) }

    private static func visits(_ row: String) -> Sample {
        log("time,client,url\n2023-06-01T00:00:00Z,a,https://ok.example/\n" + row)
    }

    private static let resolver =
        "Jun  1 00:00:00 dnsmasq[1]: query[A] ok.example from 192.0.2.7\n"

    /// The compiler asks for the file of a new reason.
    private static func sample(of reason: ReadReport.Reason) -> Sample {
        switch reason {
        case .comment: list("# a comment")
        case .duplicate: list("ok1.example") { $0.removesDuplicates = true }
        case .emptyLine: list("\nb.example")
        case .excepted: rules("@@||a.example^")
        case .exceptionKept: rules("@@||z.example^")
        case .filteredRow: table("y;b.example").rows("x")
        case .header: rules("[Adblock Plus 2.0]")
        case .localName: Sample(text: "0.0.0.0 a.example\n127.0.0.1 localhost\n")
        case .otherLogLine: log(resolver + "Jun  1 00:00:00 dnsmasq[1]: reply ok.example is 192.0.2.1")
        case .otherRecordType:
            log(resolver + "Jun  1 00:00:00 dnsmasq[1]: query[PTR] x.example from 192.0.2.7")
        case .sameVisit: log(resolver + "Jun  1 00:00:00 dnsmasq[1]: query[AAAA] ok.example from 192.0.2.7")
        case .bareHostRule: rules("b.example")
        case .browserForm: log("http://3279880203/blah")
        case .encodedAsASCII: list("b\u{FC}cher.example")
        case .hostAssumed: log(#"192.0.2.7 - - [26/Apr/2020:03:12:05 +0200] "GET /a HTTP/1.1" 200 5"#)
        case .hostExpression: list(#"(\.|^)ads\.example$"#)
        case .hostLowercased: list("A.example")
        case .notAKeyKept: asWritten("a b")
        case .notASCIIKept: asWritten("b\u{FC}cher.example")
        case .notAnEntryKept: asWritten("local=/b.example/")
        case .pathRuleNarrowed: rules("||b.example/ads")
        case .pathUnknown, .yearAssumed: log(resolver)
        case .prefixRule: rules("|https://b.example/")
        case .schemeAssumed: visits("2023-06-01T00:00:01Z,a,b.example/x")
        case .schemeKept: asWritten("https://b.example")
        case .schemeRemoved: list("https://b.example")
        case .timeAssumed: log("https://ok.example/")
        case .trailingSlashRemoved: list("b.example/")
        case .valueNotOne: Sample(text: #"rows { keyword: "a.example" value: "2" }"#)
        case .wildcardPrefixRemoved: list("*.b.example")
        case .wildcardSuffixRemoved: list("b.example/*")
        case .wwwRemoved: list("www.b.example")
        case .zoneAssumed: visits("2023-06-01 00:00:01,a,https://b.example/")
        default: lost(reason)
        }
    }

    private static func lost(_ reason: ReadReport.Reason) -> Sample {
        switch reason {
        case .lineTooLong: list(String(repeating: "a", count: 300)) { $0.maximumLineLength = 200 }
        case .notUTF8: Sample(text: "ok.example\nok2.example\n", tail: [0xFF, 0x2E, 0x61, 0x0A])
        case .nulByte: list("b\0.example")
        case .addressRange: list("192.0.2.0/24")
        case .addressWithoutBrackets: list("2001:db8::1")
        case .blankInside: list("b c.example")
        case .columnsInLine: list("b.example,c.example")
        case .controlCharacter: list("b\u{1}.example")
        case .cosmeticRule: rules("##.banner")
        case .exceptionNarrower: rules("@@||sub.a.example^")
        case .exceptionRule: rules("@@banner")
        case .hostNotValid: list("b..example")
        case .keywordMissing: Sample(text: #"rows { keyword: "a.example" value: "1" } rows { value: "1" }"#)
        case .nameTooLong: list(String(repeating: "a", count: 64) + ".example")
        case .noHost: list("/path")
        case .notASCII: list("\u{FFFD}.example")
        case .notASinkAddress: Sample(text: "0.0.0.0 a.example\n192.0.2.1 nas.example\n")
        case .notEncoded: list("b.example/\"x\"")
        case .optionRule: rules("||b.example^$third-party")
        case .pathRule: rules("||b.example/ads^x")
        case .portNotValid: list("b.example:99999")
        case .regularExpressionRule: rules("/ads[0-9]+/")
        case .userInformation: list("user@b.example")
        case .wildcard: rules("||b.*.example^")
        case .columnMissing: table("x\n")
        case .unclosedQuote: table("x;\"b.example\n")
        case .badTime: visits("yesterday,a,https://b.example/")
        case .clientMissing: visits("2023-06-01T00:00:01Z,,https://b.example/")
        case .malformedJSON: log(#"{"time":1,"url":"https://ok.example/"}"# + "\n{\"time\":")
        case .notThisFormat:
            log(#"192.0.2.7 - - [26/Apr/2020:03:12:05 +0200] "GET /a HTTP/1.1" 200 5"# + "\nnonsense")
        case .notAWebAddress: log("https://ok.example/\nmailto:a@b.example")
        case .outOfOrder:
            log(
                "time,client,url\n2023-06-01T00:00:03Z,a,https://a.example/\n2023-06-01T00:00:02Z,a,https://b.example/\n"
                    + "2023-06-01T00:00:01Z,a,https://c.example/"
            ).ordered()
        case .urlMissing: visits("2023-06-01T00:00:01Z,a,-")
        default: Sample(text: "")
        }
    }
}

extension ReasonTests.Sample {
    fileprivate func with(_ text: String) -> Self {
        var copy = self
        copy.text = text
        return copy
    }

    fileprivate func rows(_ value: String) -> Self {
        var copy = self
        copy.list.rows = .init(column: .named("kind"), values: [value])
        return copy
    }

    /// One record waits, so that the last comes too late.
    fileprivate func ordered() -> Self {
        var copy = self
        copy.trace.order = .window(nanoseconds: nil, records: 1)
        return copy
    }
}
