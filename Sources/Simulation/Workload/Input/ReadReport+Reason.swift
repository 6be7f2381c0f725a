extension ReadReport {
    /// Why a line is not in the result, or is there in another form.
    package enum Reason: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
        // Nothing is lost.
        case comment, duplicate, emptyLine, excepted, exceptionKept, filteredRow, header, localName
        case otherLogLine, otherRecordType, sameVisit
        // Kept, and changed or doubtful.
        case bareHostRule, browserForm, encodedAsASCII, hostAssumed, hostExpression, hostLowercased,
            notAKeyKept,
            notASCIIKept,
            notAnEntryKept
        case pathRuleNarrowed, pathUnknown, prefixRule
        case schemeAssumed, schemeKept, schemeRemoved, timeAssumed, trailingSlashRemoved, valueNotOne,
            wildcardPrefixRemoved, wildcardSuffixRemoved
        case wwwRemoved, yearAssumed, zoneAssumed
        // Any line.
        case lineTooLong, notUTF8, nulByte
        // Block lists.
        case addressRange, addressWithoutBrackets, blankInside, columnsInLine, controlCharacter, cosmeticRule
        case exceptionNarrower, exceptionRule, hostNotValid, keywordMissing, nameTooLong, noHost, notASCII
        case notASinkAddress, notEncoded, optionRule, pathRule, portNotValid, regularExpressionRule
        case userInformation, wildcard
        // Tables.
        case columnMissing, unclosedQuote
        // Traces.
        case badTime, clientMissing, malformedJSON, notThisFormat, notAWebAddress, outOfOrder, urlMissing
    }
}

extension ReadReport.Reason {
    /// Effect of a reason on the result.
    package enum Effect: String, CaseIterable, Codable, Sendable {
        /// Left out by design; nothing is lost.
        case ignored
        /// Kept in the result, in another form or with a doubt.
        case noted
        /// Looked like data and is not in the result.
        case dropped
    }

    package var effect: Effect {
        switch self {
        case .comment, .duplicate, .emptyLine, .excepted, .exceptionKept, .filteredRow, .header, .localName,
            .otherLogLine, .otherRecordType, .sameVisit:
            .ignored
        case .bareHostRule, .browserForm, .encodedAsASCII, .hostAssumed, .hostExpression, .hostLowercased,
            .notAKeyKept,
            .notASCIIKept,
            .notAnEntryKept, .pathRuleNarrowed, .pathUnknown, .prefixRule, .schemeAssumed, .schemeKept,
            .schemeRemoved,
            .timeAssumed, .trailingSlashRemoved, .valueNotOne, .wildcardPrefixRemoved, .wildcardSuffixRemoved,
            .wwwRemoved, .yearAssumed, .zoneAssumed:
            .noted
        case .lineTooLong, .notUTF8, .nulByte, .addressRange, .addressWithoutBrackets, .blankInside,
            .columnsInLine, .controlCharacter, .cosmeticRule, .exceptionNarrower, .exceptionRule,
            .hostNotValid, .keywordMissing, .nameTooLong, .noHost, .notASCII, .notASinkAddress, .notEncoded,
            .optionRule, .pathRule, .portNotValid, .regularExpressionRule, .userInformation, .wildcard,
            .columnMissing, .unclosedQuote, .badTime,
            .clientMissing,
            .malformedJSON, .notThisFormat, .notAWebAddress, .outOfOrder, .urlMissing:
            .dropped
        }
    }

    /// Fine in the list's own language, but nothing that a URL filter can do.
    package var isForeignRule: Bool {
        switch self {
        case .cosmeticRule, .exceptionNarrower, .exceptionRule, .optionRule, .pathRule,
            .regularExpressionRule,
            .notASinkAddress:
            true
        default: false
        }
    }

    /// Whether nothing comes of the line although it should: it is dropped, or no device looks it up.
    var isUnusable: Bool {
        self == .schemeKept || self == .notAKeyKept || self == .notAnEntryKept
            || (effect == .dropped && !isForeignRule)
    }

    /// Whether the line may have named something to block, which is now missing.
    var isLoss: Bool {
        switch self {
        case .cosmeticRule, .exceptionNarrower, .exceptionRule, .regularExpressionRule, .notASinkAddress:
            false
        default: effect == .dropped
        }
    }

    /// Whether the list says something with the line that its entries do not say: it blocks less than it says, or more.
    package var changesMeaning: Bool {
        effect == .dropped && self != .cosmeticRule && self != .notASinkAddress
    }

    /// The reason in words, to stand after a place or a count.
    package var sentence: String {
        switch self {
        case .comment: "a comment"
        case .duplicate: "the same entry stands in the list before"
        case .emptyLine: "nothing in the line but blanks"
        case .excepted: "an entry that an exception takes out"
        case .exceptionKept: "an exception, which no entry contradicts any more"
        case .filteredRow: "a row of another category"
        case .header: "a header"
        case .localName: "a name of the machine itself, such as localhost"
        case .otherLogLine: "a line about something else than a query, such as an answer"
        case .otherRecordType: "a query for another record than an address or HTTPS, which opens no page"
        case .sameVisit:
            "another record of a name that the same client asked for less than 2 s before; a visit is counted once"
        case .bareHostRule: "a bare host or address among filter rules, read as an entry"
        case .browserForm: "a URL in a form that a browser changes before it sends it; read as it is sent"
        case .encodedAsASCII: "not ASCII; written with Punycode and percent-encoding, as devices look it up"
        case .hostAssumed: "the log names no host; the configured one was put in front"
        case .hostExpression: "a regular expression for a host and all below it, read as an entry"
        case .hostLowercased: "capital letters in the host became small"
        case .notAKeyKept: "a blank or a control character inside; no device looks up such an entry"
        case .notASCIIKept: "not ASCII; devices may hash it differently, use Punycode and percent-encoding"
        case .notAnEntryKept: "the host is no host name; no device looks up such an entry"
        case .prefixRule:
            "a rule for one scheme and host became an entry, which matches subdomains on iOS 27 too"
        case .pathUnknown:
            "the host only (CONNECT, or a query of a resolver): the log does not see which of its pages are opened"
        case .pathRuleNarrowed: "a prefix rule became an entry that matches whole path segments only"
        case .schemeAssumed: "no scheme in the URL; read as https"
        case .schemeKept: "starts with a scheme; no device looks up such an entry"
        case .schemeRemoved: "the scheme was removed"
        case .timeAssumed: "no time and no client given; one client, a second from URL to URL"
        case .trailingSlashRemoved: "the slash after a bare host was removed"
        case .valueNotOne: "the value is not the text 1; devices do not look at it"
        case .wildcardPrefixRemoved: "a leading dot or '*.' was removed; parents match their subdomains"
        case .wildcardSuffixRemoved: "a '*' at the end was removed; an entry matches what is below it"
        case .wwwRemoved: "a leading 'www.' was removed"
        case .yearAssumed: "the time has no year; 2000 stands for it"
        case .zoneAssumed: "no time zone given; read as UTC"
        case .lineTooLong: "longer than the longest line allowed"
        case .notUTF8: "not UTF-8"
        case .nulByte: "a NUL byte inside; devices stop hashing there"
        case .addressRange: "a range of addresses; entries are literal, so list the addresses"
        case .addressWithoutBrackets: "an IPv6 address without brackets; write [2001:db8::1]"
        case .blankInside: "a blank inside the entry"
        case .columnsInLine:
            "several columns or hosts in a line; write one host in a line, or name the column with the format, as csv:1"
        case .controlCharacter: "a control character inside the entry"
        case .cosmeticRule: "a cosmetic rule hides page elements and blocks no URL"
        case .exceptionNarrower:
            "an exception that is narrower than an entry, which blocks what it would open"
        case .exceptionRule: "an exception that an entry cannot express; a URL filter has no allow list"
        case .hostNotValid: "the host is no host name and no address"
        case .keywordMissing: "a row without a keyword"
        case .nameTooLong: "the host is longer than 253 bytes, or a part of it longer than 63"
        case .noHost: "no host name"
        case .notASCII: "not ASCII, and it cannot be written with Punycode and percent-encoding"
        case .notASinkAddress: "maps names to a real address instead of a sink such as 0.0.0.0"
        case .notEncoded: "a character that URLs have percent-encoded only, such as a quote or a backslash"
        case .optionRule: "a rule with options that an entry cannot express"
        case .pathRule: "a rule about a part of the URL that an entry cannot express"
        case .portNotValid: "what follows the host is no port in 0...65535"
        case .regularExpressionRule: "a regular expression; entries are literal"
        case .userInformation: "a user name in front of the host, which devices leave out; leave it out"
        case .wildcard: "a wildcard; entries are literal"
        case .columnMissing: "fewer columns than needed"
        case .unclosedQuote: "a quoted field is not closed as RFC 4180 asks"
        case .badTime: "the time cannot be read"
        case .clientMissing: "no client"
        case .malformedJSON: "not a JSON object"
        case .notThisFormat: "the line does not have the form of this log"
        case .notAWebAddress: "not a URL that is fetched from a web server"
        case .outOfOrder: "earlier than records passed on before, beyond the reorder window"
        case .urlMissing: "no URL"
        }
    }
}
