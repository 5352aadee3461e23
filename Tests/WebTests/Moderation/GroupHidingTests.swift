import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite(.database)
struct GroupHidingTests {
    @Test func `a hidden group is there for its owners alone, with its board and what was told of it`() async throws {
        try await withApp(leaving: [.jobs, .outbox], hasPages: true) { app in
            let scene = try await HidingScene(app)
            let (world, given) = (app.world, app.world.given)
            let group = try await given.club(by: scene.ann.id, name: "zqclub", with: [(scene.ben.id, .moderator)])
            let path = "/api/v1/groups/\(group)"
            let thread = try await given.thread(in: group, by: scene.ann.id, title: "zqthread")
            try await given.friendship(scene.ben, scene.eve)
            try await world.community.groups.invite(scene.eve.username, into: group, by: scene.ben.identity)
            _ = try await world.tell()
            #expect(try await scene.notices(of: app.as(scene.eve)) == ["group.invited"])
            let names = ["group": group.text, "thread": thread.id.text, "post": thread.post.text]
            #expect(try await scene.readers(of: "zqclub", names) == HidingScene.everybody)
            #expect(try await scene.readers(of: "zqthread", names) == HidingScene.everybody)

            try await world.clearOutbox()
            try await scene.act(.hide, on: group)
            #expect(
                try await world.asSuperuser("select data ->> 'topic' from outbox order by position").map { $0[0] }
                    == ["group:\(group)", "thread:\(thread.id)"])
            #expect(try await scene.readers(of: "zqclub", names) == ["author"])
            #expect(try await scene.readers(of: "zqthread", names) == ["author"])
            #expect(try await scene.author.get(path).json["is_hidden"] == true)
            #expect(try await scene.author.get("/api/v1/me/groups").json["items"]?.elements.count == 1)
            let opened = try await scene.friend.post(path + "/threads", ["title": "More", "body": "More."])
            #expect(opened.status == .notFound, "\(opened.text)")
            let answered = try await scene.friend.post("/api/v1/threads/\(thread.id)/posts", ["body": "More."])
            #expect(answered.status == .notFound, "\(answered.text)")
            for refused in [
                try await app.as(scene.eve).put(path + "/membership"),
                try await scene.friend.put(path + "/invitations/\(scene.ann.username)"),
                try await scene.friend.get(path + "/bans"), try await scene.friend.get(path + "/members"),
            ] {
                #expect(refused.status == .notFound, "\(refused.text)")
            }
            #expect(try await app.as(scene.eve).get("/api/v1/me/group-invitations").json["items"]?.elements == [])
            #expect(try await scene.notices(of: app.as(scene.eve)) == [])
            let changed = try await scene.author.patch(path, ["name": "zqother"])
            #expect(changed.json["is_hidden"] == true, "\(changed.text)")
            #expect(try await scene.hearers(of: "group.changed") == [true, false])

            try await scene.act(.unhide, on: group)
            #expect(try await scene.hearers(of: "group.changed") == [true, true])
            #expect(try await scene.readers(of: "zqother", names) == HidingScene.everybody)
            #expect(try await scene.readers(of: "zqthread", names) == HidingScene.everybody)
            try await scene.act(.hide, on: group)
            #expect(try await scene.friend.delete(path + "/membership").status == .noContent)
            #expect(try await scene.author.delete(path).status == .noContent)
            #expect(try await world.everyDifference() == [])
        }
    }
}
