import ArgumentParser
import URLFilter

/// A generation of the operating system on the command line: `26`, `27` or `27.3`, with or without `iOS` before it.
struct OSChoice: ExpressibleByArgument {
    static let names = OSGeneration.allCases.map { String($0.rawValue.dropFirst(3)) }.joined(separator: ", ")

    let generation: OSGeneration

    init(_ generation: OSGeneration) { self.generation = generation }

    init?(argument: String) {
        guard let generation = OSGeneration(rawValue: argument) ?? OSGeneration(rawValue: "iOS" + argument)
        else { return nil }
        self.generation = generation
    }

    var defaultValueDescription: String { String(generation.rawValue.dropFirst(3)) }
}
