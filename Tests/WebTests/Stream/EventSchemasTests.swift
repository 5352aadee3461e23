import Community
import Foundation
import TestSupport
import Testing

@testable import Web

/// What events carry of a thing has the form that replies have: an app reads both by what `openapi.json` says.
@Suite struct EventSchemasTests {
    private static let schemas: [String: Schema] = [
        "review": Reviews.Routes.review, "reply": Reviews.Routes.reply, "message": Messages.Routes.message,
        "operation": Operations.Routes.operation, "reader": Accounts.Routes.reader, "book": Reviews.Routes.book,
    ]

    @Test func `what events carry whole meets the schema that replies have of it`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "CommunityTests/House/events.txt")
        var met: Set<String> = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let data = try JSONValue.parse(Array(line.drop { $0 != "{" }.utf8)).value
            guard case .object(let members) = data else { continue }
            for (name, told) in members {
                let value = told.shelved
                // One or two members only name it.
                guard case .object(let parts) = value, parts.count > 2 else { continue }
                var mismatches = Self.schemas[name]?.mismatches(with: value) ?? []
                if name == "post" {
                    let schema = parts["state"] == "gated" ? Boards.Schemas.placeholder : Boards.Schemas.whole
                    // Events are for all: whom one viewer has muted is not in them.
                    mismatches = schema.mismatches(with: value).filter { $0 != "/is_muted is missing" }
                    #expect(parts["is_muted"] == nil)
                }
                // A card in an event names its post: each of the two may see another part of that.
                if parts["card"]?["id"] != nil { mismatches.removeAll { $0.hasPrefix("/card ") } }
                #expect(mismatches.isEmpty, "\(name) in \(line.prefix(200)): \(mismatches)")
                met.insert(name)
            }
        }
        #expect(met.isSuperset(of: Self.schemas.keys) && met.contains("post"))
    }
}

extension JSONValue {
    /// With the member of a book that events, which are for all, do not have: on which shelf one viewer has it.
    fileprivate var shelved: JSONValue {
        switch self {
        case .object(var members):
            members = members.mapValues(\.shelved)
            if members["authors"] != nil, members["title"] != nil {
                #expect(members["shelf"] == nil)
                members["shelf"] = .null
            }
            return .object(members)
        case .array(let elements): return .array(elements.map(\.shelved))
        default: return self
        }
    }
}
