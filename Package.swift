// swift-tools-version: 6.2
import PackageDescription

let language: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// For `deploy/test`: one build in release makes the program and its tests, which then may look into our targets and are not optimised
// themselves.
let isForTests = Context.environment["BUILD_FOR_TESTS"] != nil
let strict = language + (isForTests ? [.unsafeFlags(["-enable-testing"])] : [])
let tests = strict + (isForTests ? [.unsafeFlags(["-Onone"])] : [])

// Work on each pixel of a picture takes half a minute where it is not optimised.
let quick = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let package = Package(
    name: "commonplace",
    products: [
        .executable(name: "commonplace", targets: ["App"]),
        .library(name: "CommonplaceClient", targets: ["Client"]),
    ],
    dependencies: [
        // Without its traits it needs FoundationEssentials alone, and the program has no second ICU in it.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev", "libssl-dev"])]),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(name: "CXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CZBar", pkgConfig: "zbar", providers: [.apt(["libzbar-dev"])]),
        .target(name: "CCrypto", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CICU", linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),
        .target(name: "PlainText", dependencies: ["CICU"], swiftSettings: strict),
        .target(name: "Cryptography", dependencies: ["CCrypto"], swiftSettings: strict),
        .target(name: "JSONWriting", swiftSettings: strict),
        .target(name: "MarkdownReading", swiftSettings: strict),
        .target(name: "Neighbours", exclude: ["README.md"], swiftSettings: strict),
        .target(name: "Barcodes", dependencies: ["CZBar"], exclude: ["README.md"], swiftSettings: quick),
        .target(name: "ZIP", dependencies: ["CZip"], swiftSettings: strict),
        .target(
            name: "EPUB", dependencies: ["PlainText", "ZIP", "CZip", "CXML"], exclude: ["README.md"],
            swiftSettings: strict),
        .target(
            name: "SMTP",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Migrations",
            dependencies: ["Postgres"],
            path: "Migrations",
            exclude: ["README.md"],
            resources: [.embedInCode("sql")],
            swiftSettings: strict
        ),
        .target(
            name: "Postgres",
            dependencies: [
                "CLibpq", "Cryptography", "PlainText",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            exclude: ["README.md"],
            swiftSettings: strict
        ),
        .target(
            name: "Jobs",
            dependencies: [
                "Postgres",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["README.md"],
            swiftSettings: strict
        ),
        .target(
            name: "EventLog",
            dependencies: [
                "Postgres",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            exclude: ["README.md"],
            swiftSettings: strict
        ),
        .target(
            name: "Community",
            dependencies: [
                "JSONWriting", "MarkdownReading", "Neighbours", "SMTP", "Postgres", "Jobs", "EventLog", "Cryptography",
                "CArgon2", "CZlib", "CICU", "PlainText", "ZIP",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["README.md"]
                + [
                    "Accounts", "Boards", "Catalog", "Ebooks", "Feed", "Gate", "Groups", "Library", "Media", "Messages",
                    "Moderation", "Notebook", "Notifications", "Photos", "Ranking", "Reviews", "Search", "Sources",
                    "Statistics", "Suggestions",
                ].map { "\($0)/README.md" },
            swiftSettings: strict
        ),
        .target(
            name: "Pages",
            dependencies: [
                "Web", "Community", "Cryptography", "JSONWriting", "MarkdownReading", "PlainText", "Postgres",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            exclude: ["README.md"],
            resources: [.embedInCode("Templates"), .embedInCode("Texts"), .embedInCode("Assets")],
            swiftSettings: strict
        ),
        .target(
            name: "Web",
            dependencies: [
                "Community", "Cryptography", "JSONWriting", "PlainText",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            exclude: ["README.md", "Screens/README.md"],
            resources: [
                .embedInCode("Server/OpenAPI/examples.jsonl"), .embedInCode("Stream/README.md"),
                .embedInCode("Stream/Sample/commonplace-stream.js"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Client",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "App",
            dependencies: [
                "Migrations", "JSONWriting", "Neighbours", "Barcodes", "Postgres", "Jobs", "EventLog", "SMTP", "EPUB",
                "Community", "Web", "Pages", "Client", "PlainText",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            resources: [.embedInCode("Demo/data")],
            swiftSettings: strict
        ),
        .target(
            name: "TestSupport",
            dependencies: [
                "Migrations", "JSONWriting", "Postgres", "CLibpq", "Jobs", "EventLog", "EPUB", "ZIP", "Community",
                "Web", "Pages",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/TestSupport",
            swiftSettings: tests
        ),
        .testTarget(
            name: "PostgresTests",
            dependencies: ["Postgres", "Migrations", "TestSupport", .product(name: "Logging", package: "swift-log")],
            swiftSettings: tests
        ),
        .testTarget(
            name: "EPUBTests",
            dependencies: ["CZlib", "EPUB", "TestSupport"],
            exclude: ["spine.py"],
            swiftSettings: tests
        ),
        .testTarget(
            name: "BarcodesTests", dependencies: ["Barcodes", "Community", "TestSupport"], swiftSettings: tests),
        .testTarget(name: "NeighboursTests", dependencies: ["Neighbours", "TestSupport"], swiftSettings: tests),
        .testTarget(name: "JobsTests", dependencies: ["Jobs", "TestSupport"], swiftSettings: tests),
        .testTarget(
            name: "EventLogTests", dependencies: ["EventLog", "Migrations", "TestSupport"], swiftSettings: tests),
        .testTarget(
            name: "CommunityTests",
            dependencies: [
                "Community", "Cryptography", "JSONWriting", "MarkdownReading", "PlainText", "SMTP", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            exclude: ["House/events.txt", "House/messages.txt"],
            swiftSettings: tests
        ),
        .testTarget(
            name: "WebTests", dependencies: ["JSONWriting", "Pages", "Web", "TestSupport"], swiftSettings: tests),
        .testTarget(
            name: "PagesTests",
            dependencies: [
                "JSONWriting", "Pages", "Web", "Community", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: tests),
        .testTarget(
            name: "AppTests",
            dependencies: ["App", "Client", "Cryptography", "TestSupport"],
            exclude: ["statements.txt"],
            swiftSettings: tests
        ),
    ],
    swiftLanguageModes: [.v6]
)
