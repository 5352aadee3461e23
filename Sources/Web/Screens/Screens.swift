import Community
import HTTPTypes

/// Which request each screen of the five apps makes that this server was written for: LibsterApp, Books!, Shelfed, BookNook and BookLib.
///
/// One table, published in `openapi.json` as `x-screens` and in `README.md` beside this file, which `markdown` writes; tests hold both to
/// it, and every call to the route table.
package enum Screens {
    /// One screen of one app.
    package struct Screen: Sendable, Hashable {
        package let name: String
        /// What it asks when it opens, and what its buttons do, in that order: `GET /me` for `GET /api/v1/me`.
        package let calls: [String]
        /// The one call that gives all that it shows when it opens.
        package let fill: String
        /// What it follows on the stream while it is open.
        package let topics: [String]

        init(_ name: String, fill: String, _ calls: [String], topics: [String] = []) {
            self.name = name
            self.fill = fill
            self.calls = calls
            self.topics = topics
        }
    }

    package struct App: Sendable, Hashable {
        package let name: String
        package let screens: [Screen]

        init(_ name: String, _ screens: [Screen]) {
            self.name = name
            self.screens = screens
        }
    }

    /// The table as `openapi.json` has it: a list of `{app, screen, fill, calls, topics}`, calls with their whole paths.
    static var json: JSONValue {
        .array(
            apps.flatMap { app in
                app.screens.map { screen in
                    .object([
                        "app": .string(app.name), "screen": .string(screen.name),
                        "fill": .string(path(of: screen.fill)),
                        "calls": .array(screen.calls.map { .string(path(of: $0)) }),
                        "topics": .array(screen.topics.map { .string($0) }),
                    ])
                }
            })
    }

    /// `GET /api/v1/me` for `GET /me`.
    private static func path(of call: String) -> String {
        let parts = call.split(separator: " ", maxSplits: 1)
        return parts.count == 2 ? "\(parts[0]) /api/v1\(parts[1])" : call
    }

    /// The whole of `README.md`, whose snippets follow the routes of `table`.
    package static func markdown(_ table: RouteTable) -> String {
        var text = """
            # Which request each screen makes

            The screens of the five apps that the server was written for, and the calls of `/api/v1`: the one that fills a screen, those for more of
            it, and those that its buttons make. `{…}` stands for an id or name. A screen that names a topic follows it on the stream (`GET /api/v1/stream`) while it is open.
            The same table is in `GET /api/v1/openapi.json` under `x-screens`. [Each request](#each-request) stands below in curl, Swift and JavaScript.

            `Screens+Table.swift` says what a screen asks, and `Screens+Snippets.swift` writes the snippets from the examples of `openapi.json`. A test
            holds this page to both, fills each screen on the demonstration, and reads the snippets as a shell, Swift and JavaScript do.

            """
        for app in apps {
            text += "\n## \(app.name)\n\n| screen | filled by | calls | stream |\n|---|---|---|---|\n"
            for screen in app.screens {
                let calls = screen.calls.map { "`\($0)`" }.joined(separator: " · ")
                let topics = screen.topics.map { "`\($0)`" }.joined(separator: ", ")
                text += "| \(screen.name) | `\(screen.fill)` | \(calls) | \(topics) |\n"
            }
        }
        return text + snippets(table)
    }
}
