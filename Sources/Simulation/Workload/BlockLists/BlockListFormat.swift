import Decoding

/// How a block list file is written.
package enum BlockListFormat: Hashable, Sendable {
    /// One entry per line; lines that start with `#` are comments.
    case plain
    /// A hosts file: a sink address such as `0.0.0.0`, then one or more names.
    case hosts
    /// Protobuf text format of Apple's `KeywordDatabase`, the input of PIR processing.
    case keywordDatabase
    /// Adblock-style filter rules, of which those that block a host or a path are used, with their exceptions.
    case adblock
    /// Configuration of a name server, or a response policy zone.
    case dnsmasq, unbound, bind, policyZone
    /// A table with the entries in one column. A column given by name says
    /// that the first line is a header.
    case delimited(separator: Character, column: ColumnReference)
    /// JSON objects in arrays, as feeds of indicators have them; the entry is the value of a field.
    case jsonObjects(field: String)
    /// A folder of the Université Toulouse Capitole: files `domains`, `urls` and `expressions`.
    case folder
}

extension BlockListFormat: CustomStringConvertible {
    package var description: String {
        switch self {
        case .plain: "one entry per line"
        case .hosts: "hosts file"
        case .keywordDatabase: "KeywordDatabase text"
        case .adblock: "adblock-style rules"
        case .dnsmasq: ResolverLine.Dialect.dnsmasq.rawValue
        case .unbound: ResolverLine.Dialect.unbound.rawValue
        case .bind: ResolverLine.Dialect.bind.rawValue
        case .policyZone: ResolverLine.Dialect.policyZone.rawValue
        case .delimited(let separator, let column):
            "table separated by \(separator == "\t" ? "tabs" : "'\(separator)'"), column \(column)"
        case .jsonObjects(let field): "JSON objects, field '\(field)'"
        case .folder: "folder with domains, urls and expressions"
        }
    }
}

extension BlockListFormat {
    init(_ dialect: ResolverLine.Dialect) {
        self =
            switch dialect {
            case .dnsmasq: .dnsmasq
            case .unbound: .unbound
            case .bind: .bind
            case .policyZone: .policyZone
            }
    }

    var dialect: ResolverLine.Dialect? {
        switch self {
        case .dnsmasq: .dnsmasq
        case .unbound: .unbound
        case .bind: .bind
        case .policyZone: .policyZone
        case .plain, .hosts, .keywordDatabase, .adblock, .delimited, .jsonObjects, .folder: nil
        }
    }
}

/// Changes that a reader may make to an entry on its way into the list.
package enum KeyPolicy: String, CaseIterable, Codable, Sendable {
    /// Entries as Apple's tool takes them: trim blanks, skip empty lines, keep everything else, duplicates
    /// too (article "Device", section "Data set and tools"). Entries that no device can match are kept and
    /// noted.
    case asWritten
    /// Entries as a device looks them up: no scheme, host in Punycode and lower case without `www.` and
    /// without a leading dot or `*.`, no slash after a bare host. Entries that still cannot be a key are
    /// dropped. Each change is counted. The two forms of Apple's test entry stay as they are.
    case normalized

    /// Policy of every command and of scenarios: normalized entries match on more devices.
    package static let standard = KeyPolicy.normalized

    /// Whether an entry that stands in the list twice counts twice in the size of the prefilter, as with Apple's tool.
    package var countsDuplicates: Bool { self == .asWritten }
}

extension KeyPolicy: CustomStringConvertible {
    package var description: String {
        switch self {
        case .asWritten: "as written"
        case .normalized: "normalized"
        }
    }
}

/// How to read a block list.
package struct BlockListOptions: Sendable {
    /// `nil`: recognise it from the first lines.
    package var format: BlockListFormat?
    package var policy: KeyPolicy
    /// `nil`: as the policy says, which is no for ``KeyPolicy/asWritten``.
    package var removesScheme: Bool?
    /// Keep an entry only where it stands first. Apple's tool does not.
    package var removesDuplicates: Bool
    /// The first line that has to be dropped is an error.
    package var isStrict: Bool
    /// Use a list although more of it is of no use than of use.
    package var allowsUnusable = false
    /// Entries that are taken out of the list, with what is below them. Normalized.
    package var allowed: BlockList?
    /// A choice of rows of tables: only those with one of these values in that column.
    package var rows: RowSelection?
    /// Columns of tables by name, where nobody names the format.
    package var columns: Columns?
    /// A list of what must not be blocked, read with this one.
    package var allowFile: String?
    /// Longest line in bytes; longer lines are dropped.
    package var maximumLineLength: Int
    /// Note the line of every entry and of everything dropped in ``ReadReport/places``; more of them together are
    /// an error. `nil` notes none. Not for a list without its duplicates, whose entries move.
    package var placeLimit: Int?

    /// Which columns of a table make an entry.
    package struct Columns: Hashable, Sendable {
        /// Column with the host, or with all of the entry.
        package var host: String
        package var path: String?

        package init(host: String, path: String? = nil) {
            self.host = host
            self.path = path
        }
    }

    /// Rows of a table by the value of a column, for example category `games`.
    package struct RowSelection: Hashable, Sendable {
        package var column: ColumnReference
        package var values: Set<String>

        package init(column: ColumnReference, values: Set<String>) {
            self.column = column
            self.values = values
        }
    }

    package init(
        format: BlockListFormat? = nil, policy: KeyPolicy = .asWritten, removesScheme: Bool? = nil,
        removesDuplicates: Bool = false, isStrict: Bool = false,
        rows: RowSelection? = nil, maximumLineLength: Int = LineReader.defaultMaximumLineLength
    ) {
        self.format = format
        self.policy = policy
        self.removesScheme = removesScheme
        self.removesDuplicates = removesDuplicates
        self.isStrict = isStrict
        self.rows = rows
        self.maximumLineLength = maximumLineLength
    }
}

/// Why a block list cannot be read as asked.
package enum BlockListError: InputFault, Equatable {
    case columnMissing(ColumnReference, file: String, header: [String])
    case columnNeeded(file: String, columnCount: Int)
    case columnsNotFound([String], file: String)
    case json(file: String, line: Int, detail: String)
    case keywordText(KeywordTextProblem, file: String, line: Int)
    /// More is of no use than of use; `reason` is the most frequent.
    case mostlyUnusable(file: String, unusable: Int, of: Int, reason: ReadReport.Reason)
    case noEntries(file: String)
    case notAList(ForeignContent, file: String)
    case separatorNotASCII(Character)
}

extension BlockListError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .columnMissing(let column, let file, let header):
            "\(file): there is no column \(column); the header names \(header.joined(separator: ", "))"
        case .columnNeeded(let file, let count):
            "\(file): a table of \(count) columns, none of which has a name or values that say it is the one with"
                + " hosts; say which with the format, as csv:1 or csv:url"
        case .columnsNotFound(let names, let file):
            "\(file): no table whose header names \(names.joined(separator: " and "))"
        case .json(let file, let line, let detail):
            "\(file):\(line): no JSON document with an array of objects: \(detail)"
        case .keywordText(let problem, let file, let line):
            "\(file):\(line): \(problem)"
        case .mostlyUnusable(let file, let unusable, let count, let reason):
            "\(file): of \(count) lines with data \(unusable) are of no use, most often because of this: "
                + "\(reason.sentence); check it with 'urlfilter lint', or allow it with --allow-unusable "
                + "(in a scenario: blocklist.allowUnusable)"
        case .noEntries(let file):
            "\(file): the list has no entries"
        case .notAList(let content, let file):
            "\(file): not a block list but \(content.rawValue); expected are one entry per line, a hosts file, "
                + "adblock-style rules, a configuration of dnsmasq, Unbound or BIND, a response policy zone, "
                + "KeywordDatabase text, or a table"
        case .separatorNotASCII(let separator):
            "separator '\(separator)' is not one ASCII character; use for example a tab or ','"
        }
    }
}
