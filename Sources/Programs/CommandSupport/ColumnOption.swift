/// Columns that the user names: `host=NAME,path=NAME`.
enum ColumnOption {
    /// - Returns: The names by what they are for; `nil` if it is not so written, names a role twice or one that is not
    ///   there.
    static func parse(_ text: String, roles: some Collection<String>) -> [String: String]? {
        var names: [String: String] = [:]
        for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, roles.contains(parts[0]), names[parts[0]] == nil else { return nil }
            names[parts[0]] = parts[1]
        }
        return names
    }
}
