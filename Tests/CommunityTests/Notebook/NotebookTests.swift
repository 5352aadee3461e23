import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct NotebookTests {
    /// Eight devices of one reader move folders and notes about, make and delete some: after every commit it is a tree.
    @Test(arguments: 0..<ProofCount.of(20)) func `however many devices move folders at once, there is no circle`(
        run: Int
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann")
            let book = try await world.given.book()
            let store = world.community.notebook
            var folders: [ID<Notebook.Folder>] = []
            for index in 0..<12 {
                let parent = index % 3 == 0 ? nil : folders.last
                folders.append(try await store.makeFolder("folder \(index)", in: parent, for: book, by: ann.id).id)
            }
            var notes: [ID<Notebook.Note>] = []
            for index in 0..<6 {
                let new = Notebook.NewNote(title: "\(index)", folder: folders[index])
                notes.append(try await store.write(new, about: book, by: ann.identity).summary.id)
            }
            let (tree, leaves) = (folders, notes)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in 0..<8 {
                    group.addTask {
                        let random = TestRandom(for: "run \(run), device \(device)")
                        for _ in 0..<15 {
                            let folder = tree[random.number(in: 0..<tree.count)]
                            let target = random.once(in: 4) ? nil : tree[random.number(in: 0..<tree.count)]
                            do {
                                switch random.number(in: 0..<10) {
                                case 0: _ = try await store.remove(folder, .keep, by: ann.id)
                                case 1...3:
                                    _ = try await store.change(
                                        leaves[random.number(in: 0..<leaves.count)], .init(folder: .set(target)),
                                        by: ann.identity)
                                default:
                                    _ = try await store.change(folder, name: nil, parent: .set(target), by: ann.id)
                                }
                            } catch let failure as Failure where failure.code != nil {
                                // Into itself, too deep, or gone.
                            }
                            #expect(try await world.database.differences(of: Notebook.self) == [])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await world.database.differences(of: Notebook.self) == [])
            for note in leaves {
                guard case .whole = try await store.note(note, for: .reader(ann.id)) else {
                    Issue.record("a note is gone")
                    continue
                }
            }
        }
    }

    @Test func `notebooks about two books that turn out to be one become one`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            let (from, into) = (try await world.given.book("Emma."), try await world.given.book("Emma"))
            let store = world.community.notebook
            func write(_ title: String, _ themes: [String], in book: ID<Catalog.Work>, by reader: Signed) async throws {
                let new = Notebook.NewNote(
                    title: title, items: [.text("words of \(title)")], themes: .init(names: themes))
                _ = try await store.write(new, about: book, by: reader.identity)
            }
            try await write("one", ["pride", "money"], in: from, by: ann)
            try await write("two", ["Pride"], in: into, by: ann)
            try await write("three", ["pride"], in: from, by: ben)
            _ = try await store.makeFolder("people", in: nil, for: from, by: ann.id)

            try await world.community.catalog.merge(.book(from), into: .book(into), by: Catalog.Helper(World.terminal))

            let kept = try await store.kept(about: from, of: ann.id)
            #expect((kept.book.id, kept.notes, kept.themes, kept.folders) == (into, 2, 2, 1))
            let themes = try await store.themes(for: into, of: ann.id, page: PageRequest()).items
            #expect(themes.map(\.name) == ["money", "Pride"] && themes.map(\.notes) == [1, 2])
            #expect(try await store.kept(about: into, of: ben.id).notes == 1)
            #expect(try await world.database.differences(of: Notebook.self) == [])
            let words = try await world.asSuperuser("select distinct work_id from own_words")
            #expect(words == [[into.text]])
        }
    }
}
