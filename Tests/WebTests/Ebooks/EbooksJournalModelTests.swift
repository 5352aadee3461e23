import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// Whatever devices say of one e-book, in whatever order: the place, the journal, the gate and the page that it opens at are as the rules say.
@Suite(.database) struct EbooksJournalModelTests {
    @Test(.requirement("REA-2", "REA-4"), .timeLimit(.minutes(ProofCount.minutes)))
    func `two devices, and one that sends later what it read offline, leave the place and the journal of the model`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (runs, steps) = (ProofCount.of(200), 40)
            var outcomes: [String: Int] = [:]
            for number in 0..<runs {
                var run = try await JournalRun(number, app)
                for _ in 0..<steps { try await run.step() }
                try await run.compare(isLast: true)
                outcomes.merge(run.outcomes, uniquingKeysWith: +)
                guard run.wrongs.isEmpty else {
                    Issue.record(
                        """
                        run \(number) of seed \(TestRandom.seed), after
                        \(run.told.joined(separator: "\n"))
                        \(run.wrongs.prefix(5).joined(separator: "\n"))
                        """)
                    return
                }
            }
            print(
                "journal model, seed \(TestRandom.seed): \(runs) runs of \(steps), \(outcomes.sorted { $0.key < $1.key })"
            )
            // A run in which nothing happened proves nothing.
            for outcome in [
                "first", "logged", "same", "behind", "theirs", "back", "offline", "end", "again", "percent",
            ] {
                #expect(outcomes[outcome, default: 0] > runs / 4, "\(outcome) hardly ever happened")
            }
            #expect(try await app.world.everyDifference() == [])
        }
    }
}

/// What the rules of `Places` and `Gate` make of steps through one book. It knows nothing of the store.
private struct JournalModel {
    struct Step {
        let device: String
        /// Of the e-book; `nil` where `position` was said as a percentage.
        let page: Int?
        let position: Int
        var seen: Int?
        var meant: String?
    }

    struct Row: Equatable {
        let position: Int
        let page: Int?
        let device: String
    }

    enum Outcome: Equatable { case logged(isFirst: Bool), same, behind }

    /// Last first.
    private(set) var journal: [Row] = []
    private(set) var version = 0
    private(set) var timesRead = 0
    private(set) var isReading = false

    var place: Row? { journal.first }

    /// Where the reader was in this reading before they turned back.
    private var reached: Int?

    /// How far the reader may be told: all of what was read once, else the furthest of this reading.
    var gate: Int { timesRead > 0 ? 10_000 : max(place?.position ?? 0, reached ?? 0) }

    mutating func take(_ step: Step) -> Outcome {
        var row = Row(position: step.position, page: step.page, device: step.device)
        if let there = place, row.position < there.position, there.device != step.device, step.seen != version,
            step.meant != "mine"
        {
            guard step.meant == "theirs" else { return .behind }
            row = Row(position: there.position, page: there.page, device: step.device)
        }
        let furthest = isReading ? max(place?.position ?? 0, reached ?? 0) : 0
        let isEnd = row.position == 10_000
        if isEnd, isReading || timesRead == 0 { timesRead += 1 }
        isReading = !isEnd
        guard row != place || step.meant == "mine" && reached != nil else { return .same }
        reached = step.meant != "mine" && row.position < furthest ? furthest : nil
        let isFirst = place == nil
        journal.insert(row, at: 0)
        version += 1
        return .logged(isFirst: isFirst)
    }
}

/// One reader with one book.
private struct JournalRun {
    private let app: TestApp
    private let reader: ID<Accounts.Account>
    private let book: ID<Catalog.Work>
    private let ebook: String
    private let random: TestRandom
    /// Where pages end, from page 1.
    private let ends: [Int]
    private var model = JournalModel()
    /// What the device without a network has read, and the version that it knew.
    private var offline: [Int] = []
    private var known: Int?
    private(set) var outcomes: [String: Int] = [:]
    private(set) var told: [String] = []
    private(set) var wrongs: [String] = []

    init(_ number: Int, _ app: TestApp) async throws {
        let given = app.world.given
        let account = try await given.account()
        random = TestRandom(for: "run \(number)")
        (self.app, reader) = (app.as(account), account.id)
        book = try await given.book("Run \(number)")
        let chapters = (1...9).map { ("Part \($0)", ["The lantern burnt in part \($0)."]) }
        let kept = try await self.app.keepEbook(
            try TestEbooks.epub("Lanterns", chapters), at: try await given.firstEdition(of: book), "rights=own_copy")
        ebook = try #require(kept.json["id"]?.text, "\(kept.text)")
        let pages = try await self.app.get("/api/v1/ebooks/\(ebook)/pages").json["items"]?.elements ?? []
        ends = pages.compactMap { $0["position"]?.number.map { Int($0) } }
        #expect(ends.count == 9 && ends.last == 10_000)
    }

    mutating func step() async throws {
        if !random.once(in: 5) { app.world.clock.advance(by: .milliseconds(random.number(in: 1...90_000))) }
        switch random.number(in: 0..<12) {
        case 0, 1:
            // Offline, it turns on from where it last knew to be.
            if offline.isEmpty { known = random.once(in: 3) ? nil : model.version }
            offline.append(page(near: offline.last ?? model.place?.page))
        case 2 where !offline.isEmpty:
            try await sendWhatWasReadOffline()
        case 3:
            let part = random.number(in: 0...100)
            try await send(.init(device: device, page: nil, position: part * 100), "percent")
        default:
            let number = page(near: model.place?.page)
            var step = JournalModel.Step(device: device, page: number, position: ends[number - 1])
            if random.once(in: 4) { step.seen = max(0, model.version - random.number(in: 0...1)) }
            if random.once(in: 4) { step.meant = random.element(of: ["mine", "theirs"]) }
            try await send(step)
        }
        try await compare()
    }

    private var device: String { random.once(in: 2) ? "phone" : "tablet" }

    /// Readers turn on, more often than back; at times they leaf, and at times they look at the end.
    private func page(near page: Int?) -> Int {
        let next =
            switch random.number(in: 0..<10) {
            case 0: random.number(in: 1...ends.count)
            case 1: ends.count
            case 2, 3: (page ?? 1) - random.number(in: 1...2)
            default: (page ?? 0) + 1
            }
        return min(max(next, 1), ends.count)
    }

    /// One call for each page, in their order. A device that is told to be behind says that the other one's place is meant, or its own.
    private mutating func sendWhatWasReadOffline() async throws {
        for number in offline {
            var step = JournalModel.Step(device: "ereader", page: number, position: ends[number - 1], seen: known)
            if try await send(step, "offline") == .behind {
                step.meant = random.once(in: 2) ? "theirs" : "mine"
                try await send(step)
            }
            known = model.version
        }
        offline = []
    }

    @discardableResult
    private mutating func send(_ step: JournalModel.Step, _ name: String? = nil) async throws -> JournalModel.Outcome {
        var members: [String: JSONValue] = ["device": .string(step.device)]
        if let page = step.page {
            (members["ebook"], members["page"]) = (.string(ebook), .number("\(page)"))
        } else {
            members["percent"] = .number("\(step.position / 100)")
        }
        if let seen = step.seen { members["seen"] = .number("\(seen)") }
        if let meant = step.meant { members["meant"] = .string(meant) }
        let before = model
        let outcome = model.take(step)
        let answer = try await app.put("/api/v1/books/\(book)/position", .object(members))
        told.append("\(step) \(outcome) → \(answer.status.code)")
        count(outcome, of: step, before, name)
        let status: HTTPResponse.Status =
            switch outcome {
            case .logged(let isFirst): isFirst ? .created : .ok
            case .same: .ok
            case .behind: .conflict
            }
        guard answer.status == status else {
            wrongs.append("answered \(answer.status) \(answer.text)")
            return outcome
        }
        if outcome == .behind {
            let (sent, there) = (answer.json["positions"]?[0], answer.json["positions"]?[1])
            if sent?["position"]?.number != Double(step.position) || sent?["device"]?.text != step.device {
                wrongs.append("sent \(sent ?? .null)")
            }
            look(at: there ?? .null, "behind")
        } else {
            look(at: answer.json, "answer")
        }
        return outcome
    }

    private mutating func count(
        _ outcome: JournalModel.Outcome, of step: JournalModel.Step, _ before: JournalModel, _ name: String?
    ) {
        var names = [name].compactMap(\.self)
        switch outcome {
        case .logged(let isFirst): names.append(isFirst ? "first" : "logged")
        case .same: names.append("same")
        case .behind: names.append("behind")
        }
        if step.meant == "theirs", let place = before.place, model.place?.position == place.position, outcome != .behind
        {
            names.append("theirs")
        }
        if let place = before.place, let now = model.place, now.position < place.position { names.append("back") }
        if model.timesRead > before.timesRead { names.append("end") }
        if !before.isReading, before.place != nil, model.isReading { names.append("again") }
        for name in names { outcomes[name, default: 0] += 1 }
    }

    /// Holds a place against that of the model.
    private mutating func look(at place: JSONValue, _ what: String) {
        guard let row = model.place else {
            if place != .null { wrongs.append("\(what): \(place), expected none") }
            return
        }
        let isRight =
            place["position"]?.number == Double(row.position) && place["device"]?.text == row.device
            && place["version"]?.number == Double(model.version)
            && place["page"]?.number == row.page.map { Double($0) }
            && place["ebook_id"]?.text == (row.page == nil ? nil : ebook)
            && place["shelf"]?.text == (model.isReading ? "reading" : "read")
        if !isRight { wrongs.append("\(what): \(place), expected \(row) at version \(model.version)") }
    }

    mutating func compare(isLast: Bool = false) async throws {
        let path = "/api/v1/books/\(book)"
        let place = try await app.get(path + "/position")
        look(at: place.status == .ok ? place.json : .null, "place")
        let gate = try await app.world.gate(of: reader, in: book)
        if gate != model.gate { wrongs.append("gate \(gate), expected \(model.gate)") }
        guard isLast || random.once(in: 4) else { return }
        var (rows, times, cursor) = ([JournalModel.Row](), [String](), String?.some(""))
        while let start = cursor, model.place != nil {
            let page = try await app.get(path + "/position/journal?limit=7" + (start.isEmpty ? "" : "&cursor=\(start)"))
            for row in page.json["items"]?.elements ?? [] {
                rows.append(
                    JournalModel.Row(
                        position: Int(row["position"]?.number ?? -1), page: row["page"]?.number.map { Int($0) },
                        device: row["device"]?.text ?? "none"))
                times.append(row["logged_at"]?.text ?? "")
            }
            cursor = page.json["next_cursor"]?.text
        }
        if rows != model.journal { wrongs.append("journal \(rows), expected \(model.journal)") }
        // Nobody's clock steps back here.
        if times != times.sorted(by: >) { wrongs.append("journal dated \(times)") }
        let found = try await app.get("/api/v1/ebooks/\(ebook)/search?q=lantern").json["items"]?.elements ?? []
        let pages = found.compactMap { $0["page"]?.number.map { Int($0) } }
        let open = ends.indices.filter { ends[$0] <= model.gate }.map { $0 + 1 }
        if pages != open { wrongs.append("a search finds \(pages), expected \(open)") }
        let opened = try await app.get(path + "/open").json
        let page = model.place.map { row in row.page ?? (ends.firstIndex { $0 >= row.position } ?? 0) + 1 } ?? 1
        if opened["page"]?["page"]?.number != Double(page) {
            wrongs.append("opens at \(opened["page"]?["page"] ?? .null), expected \(page)")
        }
    }
}
