import TestSupport
import Testing

/// What the programs say of their commands where they are declared.
struct CommandNameTests {
    /// A name that is left to the argument parser is made of the type's name: by reflection, at every start, for every
    /// command. That was 37 % of the samples in a profile of `urlfilter --version`.
    @Test func everyCommandNamesItself() throws {
        let files = try SourceTree.files(below: "Sources/Programs", ["swift"])
        let parts = files.flatMap { file in
            file.text.split(separator: "CommandConfiguration(", omittingEmptySubsequences: false).dropFirst()
                .map { (file.path, $0.drop(while: \.isWhitespace)) }
        }
        #expect(parts.count > 50)
        for (path, arguments) in parts {
            #expect(
                arguments.hasPrefix("commandName:"), "\(path): CommandConfiguration(\(arguments.prefix(40))")
        }
    }
}
