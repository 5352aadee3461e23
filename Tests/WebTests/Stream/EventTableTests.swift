import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Community
@testable import Web

/// What clients are told of events is so.
@Suite(.database)
struct EventTableTests {
    @Test func `every kind of event is in the table, and the table has no other`() throws {
        let table = try EventTable()

        #expect(table.kinds.sorted() == Community.eventKinds.sorted())
        #expect(Set(table.kinds).count == table.kinds.count)
    }

    @Test func `events are made where the kinds of their domain are, and of no other kind`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        var makers = 0
        for target in ["Community", "Web", "App", "Jobs"] {
            let folder = sources.appending(path: target)
            let files = try #require(FileManager.default.enumerator(atPath: folder.path))
            for case let file as String in files where file.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                guard text.contains("NewEvent(") else { continue }
                makers += 1
                #expect(file.contains("+Event"), "\(file) makes an event")
                #expect(!text.contains(/kind: "/), "\(file) names a kind by a word of its own")
            }
        }
        #expect(makers >= 10)
    }

    @Test func `what is done on boards, in conversations and in groups tells what the table says`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let scene = try await AccessScene(app)
            func done(
                _ actor: Actor, _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws -> String {
                let answer = try await scene.as(actor).call(method, "/api/v1" + scene.path(path), body)
                #expect(
                    answer.status.kind == .successful, "\(method) \(path): \(answer.text)",
                    sourceLocation: sourceLocation)
                return answer.text.isEmpty ? "" : answer.json["id"]?.text ?? answer.json["post"]?["id"]?.text ?? ""
            }

            _ = try await done(.stranger, .post, "/books/{book}/threads", ["title": "a thread", "body": "words"])
            let said = try await done(.friend, .post, "/threads/{thread}/posts", ["body": "words", "scope": "free"])
            _ = try await done(.friend, .patch, "/posts/\(said)", ["body": "others"])
            _ = try await done(.owner, .put, "/posts/\(said)/reactions/like")
            let raised: JSONValue = ["scope": "finished", "reason": "because"]
            _ = try await done(.moderator, .put, "/posts/\(said)/scope", raised)
            _ = try await done(.moderator, .put, "/posts/\(said)/scope", ["scope": "free", "reason": "because"])
            _ = try await done(.moderator, .put, "/posts/\(said)/hide", ["reason": "because"])
            _ = try await done(.moderator, .delete, "/posts/\(said)/hide")
            _ = try await done(.friend, .delete, "/posts/\(said)")
            _ = try await done(.moderator, .put, "/threads/{thread}/lock")
            let review = try await done(
                .owner, .put, "/books/{other}/review", ["rating": 4, "body": "mine", "visibility": "public"])
            let reply = try await done(.friend, .post, "/reviews/\(review)/replies", ["body": "words"])
            _ = try await done(.friend, .patch, "/review-replies/\(reply)", ["body": "others"])
            _ = try await done(.friend, .put, "/reviews/\(review)/reactions/like")
            _ = try await done(.friend, .delete, "/review-replies/\(reply)")
            _ = try await done(.owner, .delete, "/books/{other}/review")
            _ = try await done(.owner, .patch, "/messages/{message}", ["body": "new"])
            _ = try await done(.participant, .put, "/conversations/{conversation}/read", ["seq": 1])
            _ = try await done(.owner, .delete, "/messages/{message}")
            _ = try await done(.owner, .patch, "/groups/{club}", ["name": "new"])
            _ = try await done(.owner, .post, "/groups/{club}/requests/{applicant}/accept")
            _ = try await done(.owner, .put, "/groups/{club}/invitations/{newcomer}")
            _ = try await done(.friend, .delete, "/groups/{club}/membership")

            let kinds = try await EventTable().check(app.world)
            let expected = Set(
                Boards.EventKind.allCases.map(\.rawValue) + Messages.EventKind.allCases.map(\.rawValue)
                    + Groups.EventKind.allCases.map(\.rawValue) + Reviews.EventKind.allCases.map(\.rawValue)
                    + [Gate.EventKind.raised.rawValue, Gate.EventKind.lowered.rawValue])
            // Nobody may ask to be let into a private group, nor rates without a word here.
            #expect(expected.subtracting(kinds) == ["group.requested", "book.rated", "review.edited"])
        }
    }
}
