import Community
import EventLog
import TestSupport

@testable import Web

/// What readers write on boards, and how far they come in the books.
extension HubProgramme {
    /// Writes in the thread of some book, anywhere between free and the end.
    func post(_ reader: Signed) async throws -> HubScene {
        let number = random.number(in: 0..<books.count)
        let scope = random.once(in: 3) ? 0 : random.number(in: 1...10_000)
        let row = try await stream.world.given.postRow(by: reader.id, in: threads[number], scope: scope)
        return try await tell(HubScene.Post(row: row, book: books[number].rawValue, scope: scope), in: history.now)
    }

    /// Gives a post another text. What was told of the one before is nobody's from now on.
    func edit(_ reader: Signed) async throws -> HubScene {
        var scene = history.now
        guard let post = some(scene.posts(by: reader.id.rawValue)) else { return scene }
        let row = try await stream.world.given.edited(post.row)
        scene.fall(post.row.text)
        return try await tell(HubScene.Post(row: row, book: post.book, scope: post.scope), in: scene)
    }

    func hide(_ reader: Signed) async throws -> HubScene {
        var scene = history.now
        guard let post = some(scene.posts(by: reader.id.rawValue)) else { return scene }
        try await stream.world.asSuperuser("update post set hidden_at = now() where id = \(post.row.id)")
        scene.fall(post.row.text)
        return scene
    }

    /// Reads on.
    func advance(_ reader: Signed) async throws -> HubScene {
        var scene = history.now
        let (reader, book) = (reader.id.rawValue, books[random.number(in: 0..<books.count)].rawValue)
        let position = min(10_000, scene.position(of: reader, in: book) + random.number(in: 0...2_000))
        try await stream.world.asSuperuser(
            "update shelf_entry set position = \(position) where reader_id = \(reader) and work_id = \(book)")
        scene.advance(reader, in: book, to: position)
        return scene
    }

    private func tell(_ post: HubScene.Post, in scene: HubScene) async throws -> HubScene {
        var scene = scene
        published += 1
        try await stream.tell(post.row, "Post \(published).", on: [.thread(post.row.thread), .book(post.book)])
        scene.stand(post)
        return scene
    }

    private func some(_ posts: [HubScene.Post]) -> HubScene.Post? {
        posts.isEmpty ? nil : posts[random.number(in: 0..<posts.count)]
    }
}
