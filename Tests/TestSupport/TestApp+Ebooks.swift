import Community
import EPUB
import Testing
import Web

/// Runs `body` against a server that was started without the program that reads e-books.
package func withAppReadingNoEbooks<Result>(
    leaving leftovers: Leftovers = .nothing, isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (TestApp) async throws -> Result
) async throws -> Result {
    try await withWorld(leaving: leftovers, parsing: nil, sourceLocation: sourceLocation) { world in
        try await body(
            TestApp(
                world: world, site: SiteSettings(limitsRates: false), limits: ServerLimits(), status: ServerStatus(),
                metrics: nil, more: { _ in }))
    }
}
