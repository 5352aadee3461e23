import ArgumentParser
import Community
import Postgres
import Synchronization

/// Puts the demonstration into a community: through its stores, each act at its own time, so that every rule and every count holds.
struct DemoLoader: Sendable {
    /// Under which the books stand in the catalogue.
    static let source = "demo"

    let community: Community
    let clock: DemoClock
    let present: Timestamp

    /// What was loaded, and how to get in.
    struct Loaded: Sendable {
        var books = 0
        /// The project's own book.
        var guide: ID<Catalog.Work>?
        var readers = 0
        var friendships = 0
        var shelved = 0
        var ratings = 0
        var reviews = 0
        /// Of the readers whose passwords are known to anybody, who are friends where there are two.
        var signIns: [SignIn] = []
    }

    struct SignIn: Sendable, Encodable {
        let username, password: String
    }

    /// - Parameters:
    ///   - node: The node number that this process holds.
    ///   - days: How far back it goes.
    init(_ community: Community, node: Int, days: Int = DemoPlan.days) {
        var services = community.services
        // Two months in a few seconds: what protects from haste would stop it.
        services.settings.limitsRates = false
        self.present = services.clock.now()
        self.clock = DemoClock(present - .seconds(Int64(days + 1) * 86_400))
        services.clock = clock
        // A maker of its own: identifiers follow the acts' dates, and those that were made today are later than all of them.
        services.ids = IDMaker(node: node, clock: clock)
        self.community = Community(
            services, mailer: community.mailer, media: community.media.facilities, endings: [])
    }

    /// Loads everything. The first reader of the data and a friend get passwords that are told.
    func load(_ data: DemoData, progress: Progress) async throws -> Loaded {
        let plan = DemoPlan(data, until: present)
        // One core makes the hashes while another adds the books.
        async let passwords = passwords(for: data.readers, tell: [0] + plan.friends(of: 0).prefix(1))
        let works = try await addBooks(data.books, progress)
        let films = try await addMedia(data, progress)
        let guide = try await add([DemoGuide.book], progress)
        let hashes = try await passwords
        var state = LoadState()
        state.loaded = Loaded(books: works.count + films.count + guide.count, guide: guide.first, signIns: hashes.told)
        for start in stride(from: 0, to: plan.acts.count, by: Self.actsPerCommit) {
            let acts = plan.acts[start..<min(start + Self.actsPerCommit, plan.acts.count)]
            let before = state
            // The stores' own transactions join this one: a few dozen commits instead of two thousand.
            state = try await community.services.database.transaction { _ in
                var after = before
                for (at, act) in acts {
                    clock.advance(to: at)
                    try await perform(act, at: at, data, works, hashes.all, &after)
                }
                return after
            }
            progress.show("acts", acts.endIndex, of: plan.acts.count)
        }
        progress.end()
        return state.loaded
    }

    private static let actsPerCommit = 50

    /// What the acts so far have made.
    private struct LoadState: Sendable {
        var loaded = Loaded()
        var people: [Int: Accounts.Identity] = [:]
        var requests: [[Int]: ID<Friends.Request>] = [:]
    }

    private func perform(
        _ act: DemoPlan.Act, at time: Timestamp, _ data: DemoData, _ works: [ISBN: ID<Catalog.Work>],
        _ hashes: [PasswordHash],
        _ state: inout LoadState
    ) async throws {
        switch act {
        case .join(let reader):
            state.people[reader] = try await enrol(data.readers[reader], hashes[reader], at: time)
            state.loaded.readers += 1
        case .ask(let from, let to):
            guard let asker = state.people[from] else { return }
            state.requests[[from, to]] = try await community.friends.ask(data.readers[to].username, by: asker).id
        case .accept(let from, let to):
            guard let request = state.requests[[from, to]], let accepter = state.people[to] else { return }
            _ = try await community.friends.accept(request, by: accepter.account)
            state.loaded.friendships += 1
        case .shelve(let reader, let book, let move):
            guard let account = state.people[reader]?.account, let work = works[book] else { return }
            _ = try await community.library.put(move, on: work, by: account)
            state.loaded.shelved += 1
        case .review(let reader, let book, let rating, let text):
            guard let account = state.people[reader]?.account, let work = works[book] else { return }
            _ = try await community.reviews.put(
                Reviews.NewReview(rating: rating, body: text, visibility: .set(.public)), on: work, by: account)
            state.loaded.ratings += 1
            if text != nil { state.loaded.reviews += 1 }
        }
    }

    /// Makes `count` readers without friends or books and gives `write` a session token of each, in batches.
    func addReaders(_ count: Int, progress: Progress, write: ([String]) throws -> Void) async throws {
        // Nobody knows the password, so one hash serves them all: two thousand would take minutes.
        let sample = Accounts.Enrolment(username: "reader_1", email: "reader_1@demo.invalid")
        let hash = try await community.accounts.hash(password: Self.password(community.services.random), for: sample)
        let first = try await community.accounts.census().demo + 1
        let start = present - .seconds(Int64(DemoPlan.days) * 86_400)
        for lower in stride(from: 0, to: count, by: 16) {
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for index in lower..<min(lower + 16, count) {
                    let at = start + .seconds(Int64(index) * Int64(DemoPlan.days - 2) * 86_400 / Int64(count))
                    group.addTask { try await addReader(number: first + index, hash, at: at) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try write(tokens)
            progress.show("readers", min(lower + 16, count), of: count)
        }
        progress.end()
    }

    private func addReader(number: Int, _ hash: PasswordHash, at time: Timestamp) async throws -> String {
        let name = "reader_\(number)"
        let account = try await community.accounts.enrol(
            Accounts.Enrolment(username: name, email: "\(name)@demo.invalid", isDemo: true, createdAt: time),
            password: hash)
        return try await openSession(account)
    }

    /// Sessions are of today: two months ago they would be over.
    private func openSession(_ account: ID<Accounts.Account>) async throws -> String {
        var services = community.services
        services.clock = DemoClock(present)
        let today = Community(
            services, mailer: community.mailer, media: community.media.facilities, endings: [])
        return try await today.accounts.openSession(for: account).text
    }

    private func addBooks(_ books: [DemoData.Book], _ progress: Progress) async throws -> [ISBN: ID<Catalog.Work>] {
        let new = books.map(\.new)
        progress.show("books", 0, of: books.count)
        let works = try await add(new, progress)
        progress.show("books", books.count, of: books.count)
        guard works.count == books.count else {
            throw CommandError(.failure, "the catalogue took \(works.count) of \(books.count) books")
        }
        return Dictionary(uniqueKeysWithValues: zip(books.map(\.isbn), works))
    }

    /// Into an empty catalogue as they are; else those that are there by ISBN, or by title and author, become one with these.
    func add(_ books: [Catalog.NewBook], _ progress: Progress) async throws -> [ID<Catalog.Work>] {
        let catalog = community.catalog
        guard try await !catalog.books(PageRequest(limit: 1)).items.isEmpty else {
            return try await catalog.add(books, from: Self.source)
        }
        var works: [ID<Catalog.Work>] = []
        for start in stride(from: 0, to: books.count, by: 20) {
            let finds = books[start..<min(start + 20, books.count)].compactMap {
                Catalog.Find($0, from: Self.source)
            }
            works += try await catalog.adopt(finds, areTrusted: true).map(\.work)
            progress.show("books", works.count, of: books.count)
        }
        return works
    }

    /// A password of its own for everyone; those that are not told are forgotten with this call.
    private func passwords(
        for readers: [DemoData.Reader], tell: [Int]
    ) async throws -> (all: [PasswordHash], told: [SignIn]) {
        var hashes: [PasswordHash] = []
        var told: [SignIn] = []
        for (index, reader) in readers.enumerated() {
            let password = Self.password(community.services.random)
            if tell.contains(index) { told.append(SignIn(username: reader.username, password: password)) }
            hashes.append(try await community.accounts.hash(password: password, for: enrolment(reader)))
        }
        return (hashes, told)
    }

    private func enrol(
        _ reader: DemoData.Reader, _ password: PasswordHash, at time: Timestamp
    ) async throws -> Accounts.Identity {
        var enrolment = enrolment(reader)
        enrolment.createdAt = time
        let account = try await community.accounts.enrol(enrolment, password: password)
        return Accounts.Identity(
            account: account, session: .min, username: reader.username, role: .member, state: .active,
            isVerified: true, createdAt: time, lastUsedAt: time, scopes: nil)
    }

    private func enrolment(_ reader: DemoData.Reader) -> Accounts.Enrolment {
        Accounts.Enrolment(
            username: reader.username, email: "\(reader.username)@demo.invalid", name: reader.name, bio: reader.bio,
            isDemo: true)
    }

    /// Four times four letters and digits that cannot be taken for each other: 80 bits.
    static func password(_ random: any RandomSource) -> String {
        let alphabet = Array("123456789abcdefghjkmnpqrstuvwxyz".utf8)
        let characters = random.bytes(16).map { Character(UnicodeScalar(alphabet[Int($0 & 31)])) }
        return stride(from: 0, to: 16, by: 4).map { String(characters[$0..<$0 + 4]) }.joined(separator: "-")
    }
}

/// Stands where the loader puts it, and only goes forward.
final class DemoClock: WallClock {
    private let time: Mutex<Timestamp>

    init(_ start: Timestamp) { self.time = Mutex(start) }

    func now() -> Timestamp { time.withLock { $0 } }

    func advance(to later: Timestamp) { time.withLock { $0 = max($0, later) } }
}
