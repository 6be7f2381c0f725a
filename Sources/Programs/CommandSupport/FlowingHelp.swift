extension String {
    /// Help whose paragraphs are one line each, so that the parser breaks them once, where the terminal ends. Indented
    /// lines, such as examples, stay as they are.
    package var flowing: String {
        var lines: [String] = []
        // An empty line, and an indented one, end a paragraph.
        var isOpen = false
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
            let isText = line.first.map { $0 != " " } ?? false
            if isText, isOpen {
                lines[lines.count - 1] += " " + line
            } else {
                lines.append(String(line))
            }
            isOpen = isText
        }
        return lines.joined(separator: "\n")
    }
}
