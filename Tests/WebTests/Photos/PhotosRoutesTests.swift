import Community
import HTTPTypes
import JSONWriting
import TestSupport
import Testing
import Web

@Suite(.database, .enabled(if: Pictures.canBeConverted))
struct PhotosRoutesTests {
    @Test(.requirement("UPL-1", "UPL-3", "UPL-X"))
    func `a photograph is kept with its book, page and comment, upright and without what the camera said`() async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma")
            let taken = Pictures.photographed(try Pictures.halves(1600, 800, as: "a.jpg"), canary: "canarycamera")
            #expect(String(decoding: taken, as: UTF8.self).contains("canarycamera"))
            let made = try await app.as(ann).photograph(
                book, taken, "page=41&comment=Her%20%C2%ABeasy%C2%BB%20words&alt=A%20page&visibility=public")
            #expect(made.status == .created, "\(made.text)")
            let photo = made.json
            let id = try #require(photo["id"]?.text)
            #expect(made.headers[.location] == "http://127.0.0.1:8080/api/v1/photos/\(id)")
            #expect(photo["state"] == "shown" && photo["author"]?["username"] == "ann")
            #expect(photo["book"]?["id"]?.text == book.text && photo["page"] == 41 && photo["position"] == .null)
            #expect(photo["comment"] == "Her «easy» words" && photo["alt"] == "A page")
            #expect(photo["visibility"] == "public" && photo["is_hidden"] == false)
            #expect(photo["rotate"] == 0 && photo["crop"] == .null && photo["version"] == 1)
            #expect(photo["words"] == ["state": "waiting", "text": .null, "confidence": .null])
            #expect(photo["created_at"] != .null && photo["changed_at"] == photo["created_at"])
            // Orientation 6: it lay on its side.
            #expect(photo["width"] == 800 && photo["height"] == 1600)
            for (width, size) in [(320, (320, 640)), (1280, (800, 1600)), (4096, (800, 1600))] {
                let file = try await app.as(ann).file(width, of: photo)
                #expect(file.status == .ok && file.headers[.contentType] == "image/jpeg", "\(file.text.prefix(200))")
                #expect(file.headers[.cacheControl] == "private, no-cache")
                let look = try Pictures.look(at: file.body)
                #expect((look.width, look.height) == size)
                #expect(look.quarters[0].isNear(Pictures.red) && look.quarters[2].isNear(Pictures.blue))
                let text = String(decoding: file.body, as: UTF8.self)
                #expect(!text.contains("canarycamera") && !text.contains("Exif") && !text.contains("ns.adobe"))
                let tag = try #require(file.headers[.eTag])
                let address = try #require(photo["widths"]?["\(width)"]?.text).dropFirst(21)
                let again = try await app.as(ann).get(String(address), headers: [.ifNoneMatch: tag])
                #expect(again.status == .notModified && again.body.isEmpty)
            }
            // Nobody keeps what was sent: what is there was made here, and says nothing of the camera.
            for stored in try storedFiles(of: app.world) {
                #expect(
                    !stored.elementsEqual(taken) && !String(decoding: stored, as: UTF8.self).contains("canarycamera"))
            }
            // Who has not read so far gets its place alone; who has, all but what is its reader's own.
            let place: JSONValue = ["id": .string(id), "state": "gated", "kind": "photo", "position": 10_000]
            #expect(try await app.get("/api/v1/photos/\(id)").json == place)
            let finisher = try await app.world.given.finisher(of: book)
            let shown = try await app.as(finisher).get("/api/v1/photos/\(id)").json
            #expect(shown["comment"] == photo["comment"] && shown["words"] == .null && shown["visibility"] == .null)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("UPL-2", "UPL-5", "PRO-4", "PRO-8"))
    func `photographs are listed by book, mine and on a profile, stand on the book's page, and lead to both`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, ben) = (try await given.account("ann"), try await given.account("ben"))
            let cleo = try await given.account("cleo")
            try await given.friendship(ann, ben)
            let (emma, other) = (try await given.book("Emma"), try await given.book("Persuasion"))
            for book in [emma, other] { try await given.shelved(book, .read, by: ben.id) }
            let page = "/api/v1/books/\(emma)"
            let mine = app.as(ann)
            #expect(try await mine.get(page).json["my_photos"] == ["photo_count": 0, "newest": []])
            #expect(try await app.get(page).json["my_photos"] == .null)
            let picture = try Pictures.halves(400, 300, as: "a.png")
            let first = try await mine.photograph(emma, picture, "comment=first", type: "image/png").json
            let second = try await mine.photograph(other, picture, "comment=second", type: "image/png").json
            #expect(first["comment"] == "first" && second["comment"] == "second")
            for number in 3...9 { _ = try await given.photo(of: emma, by: ann.id, comment: "number \(number)") }

            let shown = try await mine.get(page).json["my_photos"]
            #expect(shown?["photo_count"] == 8 && shown?["newest"]?.elements.count == 6)
            #expect(shown?["newest"]?[0]?["comment"] == "number 9")
            #expect(
                shown?["newest"]?[0]?["widths"]?["320"]?.text?.hasPrefix("http://127.0.0.1:8080/api/v1/photos/") == true
            )
            #expect(try await app.as(ben).get(page).json["my_photos"] == ["photo_count": 0, "newest": []])

            func comments(_ path: String, as reader: Signed?) async throws -> [String] {
                let caller = reader.map { app.as($0) } ?? app
                let answer = try await caller.get("/api/v1/" + path)
                #expect(answer.status == .ok, "\(path): \(answer.text)")
                return answer.json["items"]?.elements.compactMap { $0["comment"]?.text } ?? []
            }
            let emmas = (3...9).reversed().map { "number \($0)" } + ["first"]
            let all = (3...9).reversed().map { "number \($0)" } + ["second", "first"]
            #expect(try await comments("books/\(emma)/photos?of=me", as: ann) == emmas)
            #expect(try await comments("me/photos", as: ann) == all)
            #expect(try await comments("me/photos?book_id=\(other)", as: ann) == ["second"])
            #expect(try await comments("me/photos?direction=ascending", as: ann) == all.reversed())
            // Usually friends see them, and nobody else.
            #expect(try await comments("books/\(emma)/photos", as: ben) == emmas)
            #expect(try await comments("books/\(emma)/photos?of=friends", as: ben) == emmas)
            #expect(try await comments("readers/ann/photos", as: ben) == all)
            for reader in [cleo, nil] {
                #expect(try await comments("books/\(emma)/photos", as: reader).isEmpty)
                #expect(try await comments("readers/ann/photos", as: reader).isEmpty)
            }
            #expect(try await app.as(cleo).get("/api/v1/readers/ann/photos").json["is_private"] == true)
            #expect(try await app.get("/api/v1/books/\(emma)/photos?of=me").status == .unauthorized)

            // Page by page, and back.
            let pages = try await mine.get("/api/v1/me/photos?limit=4").json
            let next = try #require(pages["next_cursor"]?.text)
            #expect(try await comments("me/photos?limit=4&cursor=\(next)", as: ann) == Array(all[4..<8]))
            // The profile brings them along, and each leads to its book and to itself.
            let profile = try await app.as(ben).get("/api/v1/readers/ann?include=photos").json
            let last = try #require(profile["included"]?["photos"]?["items"]?[8])
            #expect(last["comment"] == "first")
            let opened = try await app.as(ben).get("/api/v1/photos/\(last["id"]?.text ?? "")")
            #expect(opened.json["comment"] == "first" && opened.json["book"]?["id"]?.text == emma.text)
            let there = try await app.as(ben).get(
                "/api/v1/books/\(opened.json["book"]?["id"]?.text ?? "")?include=photos")
            #expect(there.json["included"]?["photos"]?["items"]?.elements.count == 8)
            #expect(
                try await mine.get("/api/v1/me?include=photos").json["included"]?["photos"]?["items"]?.elements.count
                    == 9)
        }
    }

    @Test(.requirement("UPL-4"))
    func `a photograph is turned and cut at upload or later, always from what was kept first`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma")
            let mine = app.as(ann)
            let picture = try Pictures.halves(1600, 800, as: "a.jpg")
            let made = try await mine.photograph(book, picture, "rotate=90&crop=0,0,1000,500")
            #expect(made.status == .created, "\(made.text)")
            let path = "/api/v1/photos/\(made.json["id"]?.text ?? "")"
            // Turned to the right the red half is above; the upper half is all red.
            #expect(made.json["rotate"] == 90 && made.json["width"] == 800 && made.json["height"] == 800)
            #expect(made.json["crop"] == ["left": 0, "top": 0, "width": 1000, "height": 500])
            func colours(_ photo: JSONValue) async throws -> [[Bool]] {
                var seen: [[Bool]] = []
                for width in Media.Kind.photo.widths {
                    let file = try await mine.file(width, of: photo)
                    seen.append(try Pictures.look(at: file.body).quarters.map { $0.isNear(Pictures.red) })
                }
                return seen
            }
            let red = [true, true, true, true]
            #expect(try await colours(made.json) == [red, red, red])

            // The other half; then upright again, all of it.
            let cut = try await mine.patch(
                path, ["crop": ["left": 0, "top": 500, "width": 1000, "height": 500]],
                headers: [.ifMatch: made.headers[.eTag] ?? ""])
            #expect(cut.status == .ok && cut.json["version"] == 2 && cut.json["rotate"] == 90, "\(cut.text)")
            let blue = red.map { !$0 }
            #expect(try await colours(cut.json) == [blue, blue, blue])
            let whole = try await mine.patch(path, ["rotate": 0, "crop": .null])
            #expect(whole.json["width"] == 1600 && whole.json["height"] == 800 && whole.json["crop"] == .null)
            let halves = [true, false, true, false]
            #expect(try await colours(whole.json) == [halves, halves, halves])
            #expect(whole.json["widths"]?["320"] != cut.json["widths"]?["320"])
            let turned = try await mine.patch(path, ["rotate": 180])
            #expect(try await colours(turned.json) == [blue, blue, blue].map { _ in [false, true, false, true] })
            // The same again changes nothing.
            #expect(try await mine.patch(path, ["rotate": 180]).json["version"] == turned.json["version"])
            // What was cut off is in no file that is served, of no width.
            let again = try await mine.patch(
                path, ["rotate": 0, "crop": ["left": 0, "top": 0, "width": 400, "height": 1000]])
            #expect(try await colours(again.json) == [red, red, red])
            for width in ["0", "80", "4095"] { #expect(try await mine.get(path + "/" + width).status == .notFound) }
            #expect(try await app.world.everyDifference() == [])
            #expect(try await app.world.work() == 0)
            let files = try await app.world.asSuperuser("select count(*) from media_file")[0][0]
            #expect(files == "4", "the master and three widths are all that is left")
            #expect(try storedFiles(of: app.world).count == 4)
        }
    }

    @Test(.requirement("UPL-5"))
    func `what a photograph says is changed by its version, its image replaced, and it is deleted with its files`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, ben) = (try await given.account("ann"), try await given.account("ben"))
            let book = try await given.book("Emma")
            try await given.shelved(book, .reading, by: ann.id)
            try await given.position(.page(10, of: 200), in: book, by: ann.id)
            let mine = app.as(ann)
            let made = try await mine.photograph(
                book, try Pictures.halves(400, 300, as: "a.jpg"), "page=50&comment=canaryfirst")
            let id = try #require(made.json["id"]?.text.flatMap { ID<Photos.Photo>(text: $0) })
            let path = "/api/v1/photos/\(id)"
            #expect(made.json["position"] == 2500 && made.json["percent"] == 25)
            let changed = try await mine.patch(
                path,
                [
                    "page": 100, "comment": "canarysecond", "alt": "canaryalt", "visibility": "members",
                    "words": "canarywords canarymore",
                ],
                headers: [.ifMatch: made.headers[.eTag] ?? ""])
            #expect(changed.status == .ok && changed.json["version"] == 2, "\(changed.text)")
            #expect(changed.json["page"] == 100 && changed.json["position"] == 5000)
            #expect(
                changed.json["words"] == ["state": "corrected", "text": "canarywords canarymore", "confidence": .null])
            let stale = try await mine.patch(path, ["comment": "late"], headers: [.ifMatch: made.headers[.eTag] ?? ""])
            #expect(stale.status == .preconditionFailed)
            #expect(try await foundWords(in: app.world) == ["canaryalt", "canarymore", "canarysecond", "canarywords"])
            for cleared in ["page", "percent", "comment", "alt", "visibility"] {
                let answer = try await mine.patch(path, .object([cleared: .null]))
                #expect(answer.status == .ok && answer.json[cleared] == .null, "\(answer.text)")
            }
            #expect(try await foundWords(in: app.world) == ["canarymore", "canarywords"])
            #expect(try await app.as(ben).patch(path, ["comment": "mine"]).status == .notFound)

            // Another image: what is said of it stays, and so do words that were corrected.
            _ = try await mine.patch(path, ["comment": "kept", "page": 20])
            let before = try await mine.get(path).json
            let replaced = try await mine.send(
                .put, path + "/image?rotate=180", body: try Pictures.halves(600, 300, as: "a.png"),
                headers: [.contentType: "image/png"])
            #expect(replaced.status == .ok, "\(replaced.text)")
            for name in ["id", "comment", "page", "position", "words", "created_at"] {
                #expect(replaced.json[name] == before[name], "\(name)")
            }
            #expect(replaced.json["width"] == 600 && replaced.json["rotate"] == 180)
            #expect(replaced.json["widths"] != before["widths"])
            let look = try Pictures.look(at: try await mine.file(4096, of: replaced.json).body)
            #expect(look.quarters[0].isNear(Pictures.blue))
            let old = String((before["widths"]?["4096"]?.text ?? "").dropFirst(21))
            #expect(
                try Pictures.look(at: try await mine.get(old).body).width == 600,
                "there is one image behind its address")
            let foreign = try await app.as(ben).send(
                .put, path + "/image", body: try Pictures.halves(600, 300, as: "a.png"),
                headers: [.contentType: "image/png"])
            #expect(foreign.status == .notFound)
            // Words that are taken back are read anew.
            #expect(try await mine.patch(path, ["words": .null]).json["words"]?["state"] == "waiting")

            #expect(try await app.world.delete(id, by: ben.id) == false)
            #expect(try await app.world.delete(id, by: ann.id))
            #expect(try await app.world.delete(id, by: ann.id) == false)
            #expect(try await mine.get(path).status == .notFound)
            #expect(try await mine.get(path + "/320").status == .notFound)
            #expect(try await app.world.work() == 0)
            #expect(try storedFiles(of: app.world).isEmpty)
            #expect(try await app.world.asSuperuser("select from media_file").isEmpty)
            #expect(try await foundWords(in: app.world) == [])
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `a photograph that is sent again under its key is one`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma")
            var headers: HTTPFields = [.contentType: "image/png"]
            headers[.idempotencyKey] = "once"
            let picture = try Pictures.halves(400, 300, as: "a.png")
            var answers: [TestAnswer] = []
            for _ in 1...2 {
                answers.append(
                    try await app.as(ann).send(.post, "/api/v1/books/\(book)/photos", body: picture, headers: headers))
            }
            #expect(answers.map(\.status) == [.created, .created] && answers[0].json == answers[1].json)
            #expect(try await app.world.asSuperuser("select count(*) from photo") == [["1"]])
        }
    }

    /// The words by which its owner finds photographs, by what they are folded to.
    private func foundWords(in world: World) async throws -> [String] {
        try await world.asSuperuser(
            """
            select lexeme from own_words cross join lateral unnest(words)
             where kind = 'photo' and lexeme !~ '#' order by 1
            """
        ).compactMap { $0[0] }
    }
}
