// swift-tools-version: 6.2
// SPDX-License-Identifier: GPL-3.0-or-later
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Libraries from outside.
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdHTTP2 = Target.Dependency.product(name: "HummingbirdHTTP2", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let serviceLifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

// The program prints them (`urlfilter help`), so they are inside it: a resource bundle would stay behind when the
// executable is copied.
let articles = [
    "Architecture", "Architectures", "Changes", "Contributing", "Device", "EventSimulation", "Extending",
    "FleetModel",
    "HomomorphicEncryption", "Inputs", "Install", "Needs", "Networks", "OtherArchitectures", "PIRProtocol",
    "Planning",
    "Results", "Scenarios", "Servers", "Statistics", "ThreatModel", "Transport", "Validation", "Workbench",
    "Workload",
]

// An import always points to a lower layer; the modules of one layer do not know each other.
let package = Package(
    name: "url-filter-workbench",
    // The first one with `InlineArray`.
    platforms: [.macOS(.v26)],
    products: [
        .executable(name: "urlfilter", targets: ["urlfilter"]),
        .executable(name: "urlfilter-live", targets: ["urlfilter-live"]),
    ],
    // Exact, so that every machine builds the same; see the article "Contributing", section "Versions of libraries".
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // Layer 0
        .systemLibrary(name: "CGSL", pkgConfig: "gsl", providers: [.apt(["libgsl-dev"]), .brew(["gsl"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .target(name: "Decoding", swiftSettings: strict),
        .systemLibrary(name: "MemoryHints"),
        .target(name: "RingKernels"),
        .target(name: "ServiceRules", swiftSettings: strict),
        .target(name: "Timing", swiftSettings: strict),
        // Layer 1
        .target(name: "Wording", dependencies: ["Decoding"], swiftSettings: strict),
        .target(
            name: "HomomorphicEncryption", dependencies: ["Decoding", "RingKernels", crypto, cryptoExtras],
            swiftSettings: strict),
        .target(name: "ObliviousHTTP", dependencies: ["Decoding", crypto], swiftSettings: strict),
        .target(
            name: "PrivacyPass", dependencies: ["Decoding", "ServiceRules", crypto, cryptoExtras],
            swiftSettings: strict),
        .target(name: "RandomStreams", dependencies: ["Decoding", "RingKernels"], swiftSettings: strict),
        .target(
            name: "URLFilter", dependencies: ["Decoding", "MemoryHints", "ServiceRules"],
            swiftSettings: strict),
        // Layer 2
        .target(
            name: "PrivateInformationRetrieval",
            dependencies: [
                "Decoding", "HomomorphicEncryption", "ServiceRules", crypto, cryptoExtras, protobuf,
            ],
            exclude: ["Wire/Protos"], swiftSettings: strict),
        .target(
            name: "Statistics", dependencies: ["CGSL", "Decoding", "RandomStreams"], swiftSettings: strict),
        // Layer 3
        .target(
            name: "EventSimulation", dependencies: ["RandomStreams", "Statistics"], swiftSettings: strict),
        .target(
            name: "Parties",
            dependencies: [
                "Decoding", "HomomorphicEncryption", "ObliviousHTTP", "PrivacyPass",
                "PrivateInformationRetrieval", "ServiceRules", "URLFilter",
            ],
            swiftSettings: strict),
        .target(
            name: "Workload",
            dependencies: ["CZlib", "CZstd", "Decoding", "RandomStreams", "Statistics", "URLFilter"],
            resources: [.embedInCode("Sites/public_suffix_list.dat")],
            swiftSettings: strict),
        // Layer 4
        .target(
            name: "DeviceFleet",
            dependencies: [
                "Decoding", "HomomorphicEncryption", "ObliviousHTTP", "Parties", "PrivacyPass",
                "PrivateInformationRetrieval", "RandomStreams", "Statistics", "Timing", "URLFilter",
                "Workload",
            ],
            swiftSettings: strict),
        .target(
            name: "FleetModel",
            dependencies: [
                "Decoding", "EventSimulation", "RandomStreams", "ServiceRules", "Statistics", "Timing",
                "URLFilter", "Workload",
            ],
            swiftSettings: strict),
        .target(
            name: "LiveStack",
            dependencies: [
                "Decoding", "EventSimulation", "HomomorphicEncryption", "ObliviousHTTP", "Parties",
                "PrivacyPass", "PrivateInformationRetrieval", "ServiceRules", "Timing", "Workload",
                asyncHTTPClient, grdb, httpTypes, hummingbird, hummingbirdCore,
                hummingbirdHTTP2, hummingbirdTLS, logging, metrics, nioCore, nioHTTP1, nioHTTPTypes,
                nioHTTPTypesHTTP1, nioPosix, nioSSL, protobuf, serviceLifecycle, unixSignals, crypto,
            ],
            swiftSettings: strict),
        .target(
            name: "QueueValidation",
            dependencies: ["Decoding", "EventSimulation", "RandomStreams", "Statistics"],
            swiftSettings: strict),
        // Layer 5
        .target(
            name: "DeviceNetwork",
            dependencies: [
                "Decoding", "DeviceFleet", "ObliviousHTTP", asyncHTTPClient, nioCore, nioHTTP1, nioPosix,
                nioSSL,
            ],
            swiftSettings: strict),
        .target(
            name: "Measurement",
            dependencies: [
                "Decoding", "FleetModel", "ObliviousHTTP", "Parties", "PrivacyPass",
                "PrivateInformationRetrieval", "RandomStreams", "Statistics", "Timing", "URLFilter",
            ],
            swiftSettings: strict),
        .target(
            name: "RunMetrics",
            dependencies: ["Decoding", "EventSimulation", "FleetModel", "Statistics", "URLFilter"],
            swiftSettings: strict),
        .target(
            name: "ServerWorlds",
            dependencies: [
                "Decoding", "EventSimulation", "HomomorphicEncryption", "LiveStack", "ObliviousHTTP",
                "Parties", "PrivacyPass", "PrivateInformationRetrieval", "RandomStreams", "Timing", logging,
            ],
            swiftSettings: strict),
        // Layer 6
        .target(
            name: "Scenarios",
            dependencies: [
                "Decoding", "EventSimulation", "FleetModel", "HomomorphicEncryption", "Parties",
                "PrivateInformationRetrieval", "RandomStreams", "RunMetrics", "Statistics", "Timing",
                "URLFilter", "Workload", yams,
            ],
            swiftSettings: strict),
        .target(
            name: "LiveValidation",
            dependencies: [
                "Decoding", "DeviceFleet", "DeviceNetwork", "EventSimulation", "FleetModel", "LiveStack",
                "Measurement", "Parties", "RandomStreams", "Statistics", "Timing", "URLFilter", "Workload",
                grdb,
            ],
            swiftSettings: strict),
        // Layer 7
        .target(
            name: "Experiment",
            dependencies: [
                "Decoding", "EventSimulation", "FleetModel", "Measurement", "Parties",
                "PrivateInformationRetrieval", "RandomStreams", "RunMetrics", "Scenarios", "Statistics",
                "Timing", "URLFilter", "Workload", crypto, grdb, yams,
            ],
            swiftSettings: strict),
        // Layer 8
        .target(
            name: "ListAnalysis",
            dependencies: [
                "Decoding", "Experiment", "FleetModel", "PrivateInformationRetrieval", "URLFilter",
                "Wording", "Workload",
            ],
            swiftSettings: strict),
        .target(
            name: "Questions",
            dependencies: [
                "Decoding", "EventSimulation", "Experiment", "FleetModel", "HomomorphicEncryption",
                "Parties", "PrivateInformationRetrieval", "RandomStreams", "RunMetrics", "Scenarios",
                "Statistics", "Timing", "URLFilter", "Workload", crypto, yams,
            ],
            swiftSettings: strict),
        // Layer 9
        .target(
            name: "Deployment",
            dependencies: ["Decoding", "EventSimulation", "FleetModel", "Questions", "Scenarios", yams],
            swiftSettings: strict),
        .target(
            name: "Report",
            dependencies: [
                "Decoding", "DeviceFleet", "Experiment", "FleetModel", "ListAnalysis", "Measurement",
                "PrivateInformationRetrieval", "Questions", "RandomStreams", "RunMetrics", "Scenarios",
                "Statistics", "Timing", "URLFilter", "Wording", "Workload",
            ], swiftSettings: strict),
        // Layer 10
        .target(
            name: "CommandSupport",
            dependencies: [
                "Decoding", "Experiment", "PrivateInformationRetrieval", "Report", "Scenarios", "Timing",
                "URLFilter", "Wording", "Workload", argumentParser,
            ], swiftSettings: strict),
        .target(
            name: "LiveReport",
            dependencies: [
                "Decoding", "Experiment", "LiveValidation", "Questions", "QueueValidation", "Report",
                "Statistics",
                "Timing", "Wording",
            ],
            swiftSettings: strict),
        .target(
            name: "Workbench",
            dependencies: [
                "Decoding", "Experiment", "FleetModel", "ListAnalysis", "Questions", "Report", "RunMetrics",
                "Scenarios", "URLFilter", "Wording", "Workload", crypto, httpTypes, hummingbird,
                hummingbirdCore, logging, nioCore, serviceLifecycle, unixSignals, yams,
            ],
            resources: [
                "page.html", "page.css", "icon.svg", "main.js", "elements.js", "server.js", "start.js",
                "scenario.js", "form.js", "prefilter.js", "chart.js", "runs.js", "knobs.js", "servers.js",
                "outage.js", "live.js", "library.js", "look.js", "timeline.js", "trace.js",
            ].map { .embedInCode("Page/\($0)") },
            swiftSettings: strict),
        // Layer 11: what simulates, and what listens or talks on a network.
        .executableTarget(
            name: "urlfilter",
            dependencies: [
                "CGSL", "CZlib", "CZstd", "CommandSupport", "Decoding", "Deployment", "DeviceFleet",
                "Experiment", "FleetModel", "HomomorphicEncryption", "ListAnalysis", "Measurement", "Parties",
                "PrivateInformationRetrieval", "Questions", "Report", "RunMetrics", "Scenarios",
                "Statistics", "Timing", "URLFilter", "Wording", "Workload", argumentParser,
            ],
            exclude: ["Documentation.docc/Documentation.md"],
            resources: articles.map { .embedInCode("Documentation.docc/\($0).md") } + [
                .embedInCode("Licences/GPL-3.0.txt")
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "urlfilter-live",
            dependencies: [
                "CommandSupport", "Decoding", "DeviceFleet", "DeviceNetwork", "EventSimulation",
                "Experiment", "LiveReport", "LiveStack", "LiveValidation", "Parties", "PrivacyPass",
                "PrivateInformationRetrieval", "Questions", "QueueValidation", "Report", "Scenarios",
                "Timing", "URLFilter", "Wording", "Workbench", "Workload", argumentParser, logging,
            ],
            swiftSettings: strict),
        // Benchmarks, run by hand.
        .executableTarget(
            name: "pir-benchmarks",
            dependencies: [
                "HomomorphicEncryption", "LiveStack", "ObliviousHTTP", "Parties",
                "PrivateInformationRetrieval", "RandomStreams", "RingKernels", "Timing",
                asyncHTTPClient, nioCore, nioHTTP1, argumentParser,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "simulation-benchmarks",
            dependencies: [
                "EventSimulation", "FleetModel", "RandomStreams", "Statistics", "Timing", "URLFilter",
                "Workload", argumentParser,
            ],
            swiftSettings: strict),
        // Attacks on a started server, run by hand and in continuous integration.
        .executableTarget(
            name: "stack-attacks",
            dependencies: [
                "Decoding", "DeviceFleet", "DeviceNetwork", "ObliviousHTTP", "Parties", "PrivacyPass",
                "PrivateInformationRetrieval", "RandomStreams", "ServerWorlds", "Timing", "URLFilter",
                "Workload", argumentParser, protobuf,
            ],
            swiftSettings: strict),
        // What tests of several modules share.
        .target(
            name: "TestSupport", dependencies: ["Statistics"], path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(
            name: "ServerTestSupport",
            dependencies: ["DeviceNetwork", "LiveStack", "TestSupport", nioCore],
            path: "Tests/ServerTestSupport", swiftSettings: strict),
        .testTarget(name: "DecodingTests", dependencies: ["Decoding", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "RingKernelsTests", dependencies: ["RingKernels", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "QueueValidationTests",
            dependencies: [
                "EventSimulation", "QueueValidation", "RandomStreams", "Statistics", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RandomStreamsTests", dependencies: ["RandomStreams"], swiftSettings: strict),
        .testTarget(
            name: "ServiceRulesTests", dependencies: ["ServiceRules", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "URLFilterTests", dependencies: ["TestSupport", "URLFilter"], resources: [.copy("Vectors")],
            swiftSettings: strict),
        .testTarget(
            name: "WorkloadTests",
            dependencies: [
                "CZlib", "CZstd", "Decoding", "RandomStreams", "TestSupport", "Workload",
            ],
            resources: [.copy("Vectors")], swiftSettings: strict),
        .testTarget(
            name: "EventSimulationTests", dependencies: ["EventSimulation", "RandomStreams", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HomomorphicEncryptionTests",
            dependencies: ["HomomorphicEncryption", "TestSupport", crypto],
            resources: [.copy("Vectors")], swiftSettings: strict),
        .testTarget(
            name: "ObliviousHTTPTests", dependencies: ["ObliviousHTTP", "TestSupport", crypto],
            resources: [.copy("Vectors")], swiftSettings: strict),
        .testTarget(
            name: "PrivacyPassTests", dependencies: ["PrivacyPass", "TestSupport", crypto, cryptoExtras],
            resources: [.copy("Vectors")], swiftSettings: strict),
        .testTarget(
            name: "StatisticsTests", dependencies: ["RandomStreams", "Statistics", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "PrivateInformationRetrievalTests",
            dependencies: [
                "HomomorphicEncryption", "PrivateInformationRetrieval", "TestSupport", crypto,
            ],
            resources: [.copy("Vectors")], swiftSettings: strict),
        .testTarget(
            name: "FleetModelTests",
            dependencies: [
                "EventSimulation", "FleetModel", "RandomStreams", "Statistics", "TestSupport", "Timing",
                "URLFilter", "Workload",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "MeasurementTests",
            dependencies: [
                "EventSimulation", "FleetModel", "HomomorphicEncryption", "Measurement", "ObliviousHTTP",
                "Parties", "PrivacyPass",
                "PrivateInformationRetrieval", "RandomStreams", "ServiceRules", "TestSupport", "Timing",
                "URLFilter", "Workload",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LiveStackTests",
            dependencies: [
                "EventSimulation", "HomomorphicEncryption", "LiveStack", "ObliviousHTTP", "Parties",
                "PrivacyPass", "PrivateInformationRetrieval", "ServerTestSupport", "TestSupport",
                asyncHTTPClient, grdb, logging, nioCore, nioEmbedded, nioHTTP1, nioSSL,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ServerWorldsTests",
            dependencies: [
                "HomomorphicEncryption", "LiveStack", "ObliviousHTTP", "Parties", "PrivacyPass",
                "PrivateInformationRetrieval", "ServerWorlds", "TestSupport", logging,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ExperimentTests",
            dependencies: [
                "EventSimulation", "Experiment", "FleetModel", "Questions", "RandomStreams", "RunMetrics",
                "Scenarios", "Statistics", "TestSupport", "Timing", "URLFilter", "Workload", grdb,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DeploymentTests",
            dependencies: [
                "Deployment", "FleetModel", "Questions", "Scenarios", "TestSupport", yams,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DeviceFleetTests",
            dependencies: [
                "DeviceFleet", "DeviceNetwork", "HomomorphicEncryption", "ObliviousHTTP", "Parties",
                "PrivacyPass", "PrivateInformationRetrieval", "ServerTestSupport", "TestSupport", "URLFilter",
                "Workload", nioCore, nioHTTP1, nioPosix,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LiveValidationTests",
            dependencies: [
                "DeviceFleet", "DeviceNetwork", "EventSimulation", "FleetModel", "LiveStack",
                "LiveValidation", "Measurement", "ObliviousHTTP", "Parties", "PrivateInformationRetrieval",
                "RandomStreams", "ServerTestSupport", "Statistics", "TestSupport", "Timing", "URLFilter",
                "Workload",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WorkbenchTests",
            dependencies: ["Scenarios", "TestSupport", "Workbench", logging, yams],
            swiftSettings: strict),
        // Runs the built program as a process.
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "DeviceFleet", "DeviceNetwork", "ObliviousHTTP", "Parties", "ServerTestSupport",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "CZstd", "Decoding", "DeviceFleet", "DeviceNetwork", "EventSimulation", "Experiment",
                "FleetModel", "HomomorphicEncryption", "ListAnalysis", "LiveStack", "ObliviousHTTP",
                "Parties", "PrivacyPass", "PrivateInformationRetrieval", "Questions", "RandomStreams",
                "Report", "Scenarios", "ServerTestSupport", "TestSupport", "Timing", "URLFilter",
                "Workload",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ReportTests",
            dependencies: [
                "Decoding", "DeviceFleet", "Experiment", "FleetModel", "ListAnalysis", "LiveReport",
                "LiveValidation", "PrivateInformationRetrieval", "Questions", "Report", "RunMetrics",
                "Scenarios", "Statistics", "TestSupport", "Timing", "URLFilter", "Wording", "Workload",
                crypto,
            ],
            swiftSettings: strict),
    ]
)

// Where each module stands: the layers, from the ground up.
let layers: KeyValuePairs = [
    "Foundations": [
        "CGSL", "CZlib", "CZstd", "MemoryHints", "RingKernels", "Decoding", "Timing", "RandomStreams",
        "Statistics",
        "Wording",
    ],
    "Protocols": [
        "HomomorphicEncryption", "ObliviousHTTP", "PrivacyPass", "PrivateInformationRetrieval",
        "ServiceRules", "URLFilter", "Parties",
    ],
    "Simulation": ["EventSimulation", "Workload", "FleetModel", "Measurement"],
    "Studies": [
        "RunMetrics", "Scenarios", "Experiment", "ListAnalysis", "Questions", "Deployment", "Report",
    ],
    "Live": ["DeviceFleet", "DeviceNetwork", "LiveStack", "Workbench"],
    "Validation": ["QueueValidation", "ServerWorlds", "LiveValidation", "LiveReport"],
    "Programs": ["CommandSupport", "urlfilter", "urlfilter-live"],
    "Tools": ["pir-benchmarks", "simulation-benchmarks", "stack-attacks"],
]

for (layer, modules) in layers {
    for target in package.targets where modules.contains(target.name) {
        target.path = "Sources/\(layer)/\(target.name)"
    }
}
