import Decoding
import Foundation
import Testing

@Suite struct SaturatingTests {
    @Test func whatIsNoNumberOfTheTypeIsAnEnd() {
        #expect(Int(saturating: .nan) == 0)
        #expect(Int(saturating: .infinity) == 1 << 60)
        #expect(Int(saturating: -.infinity) == -(1 << 60))
        #expect(Int(saturating: 1e300) == 1 << 60)
        #expect(UInt32(saturating: 1e10) == .max)
        #expect(UInt32(saturating: -1) == 0)
        #expect(Int(saturating: -2.9) == -2)
        #expect(Int(saturating: 2.9) == 2)
        #expect(Int64(saturating: 0x1p53) == 1 << 53)
    }

    /// The numbers that reach a conversion in these folders are bounded where they are made: tables, moduli and shapes.
    private static let bounded = [
        "HomomorphicEncryption", "PrivateInformationRetrieval", "RandomStreams", "Workload/Browsing",
        "pir-benchmarks", "simulation-benchmarks", "stack-attacks", "Decoding",
    ]

    /// A rounding, a root or a logarithm in an `Int(…)` is a number from data, unless its folder says otherwise.
    @Test func noConversionEndsTheProgram() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { path in
            path.hasSuffix(".swift") && !Self.bounded.contains { path.contains("/\($0)/") }
        }
        #expect(files.count > 500)
        let conversion =
            /\bU?Int(8|16|32|64)?\([^:()]*[^:]*(\.rounded\(|\.squareRoot\(|\blog2?\(|\bexp\(|\bpow\(|econds \* 1e9)/
        for path in files {
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            for line in text.split(separator: "\n") where !line.contains("//") {
                #expect(
                    line.firstMatch(of: conversion) == nil || line.contains("Int(saturating:")
                        || line.contains("Int64(saturating:"),
                    "\(path): write Int(saturating: …): \(line)")
            }
        }
    }
}
