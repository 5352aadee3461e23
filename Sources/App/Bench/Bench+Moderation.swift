import ArgumentParser
import Community
import FoundationEssentials
import Jobs
import PlainText
import Postgres

extension Bench {
    /// So many open cases about the newest posts, each with one report.
    struct InsertCases: Statement {
        static let sql: SQL<Self> = """
            with reported as (
                select id, author_id, row_number() over () as n
                  from (select id, author_id from post order by id desc limit \(\.count)) newest
            ), opened as (
                insert into moderation_case (id, subject_kind, subject_id, author_id, state, category, reports, reporters, trust,
                                             opened_at, changed_at)
                select n, 'post', id, author_id, 'open', (array['legal', 'abuse', 'spam', 'spoiler', 'rule', 'other'])[n % 6 + 1], 1, 1,
                       n % 97 / 97.0, now(), now()
                  from reported
            )
            insert into report (id, case_id, reporter_id, category, trust, created_at)
            select n, n, 1 + n % 1000, 'spam', n % 97 / 97.0, now() from reported
            """
        let count: Int
    }
}

/// `commonplace bench moderation`: pages of the queue of reports, and what an account said hidden and brought back by one act each, while
/// readers read.
struct BenchModeration: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "moderation", abstract: "Measure the work of moderators, on a database to throw away.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "Posts on all boards. 20000 to 10000000, in thousands.")
    var posts = 1_000_000

    @Option(help: "Open cases. 100 to 1000000, and no more than posts.")
    var cases = 10_000

    @Option(help: "Threads in which one account says twenty things each. 5 to 5000.")
    var threads = 500

    private static let book = ID<Catalog.Work>(rawValue: 2)
    private static let spammer = ID<Accounts.Account>(rawValue: 3)
    private static let each = 20

    func validate() throws {
        guard (20_000...10_000_000).contains(posts), posts % 1_000 == 0, (100...posts).contains(cases),
            (5...5_000).contains(threads)
        else { throw ValidationError("posts 20000...10000000 in thousands, cases 100...posts, threads 5...5000") }
    }

    func run() async throws {
        let command = self
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(3_600)) { runtime in
            let began = ContinuousClock.now
            try await BenchDiscussionFill(posts: command.posts, onOne: max(10_000, command.posts / 10_000 * 1_000))
                .run(on: runtime.database, owner: runtime.ownerConninfo)
            try await Bench.indexBooks(runtime.community)
            try await runtime.database.run(Bench.InsertCases(count: command.cases))
            try await command.spam(runtime.community.boards)
            BenchTimes.sayFilled(since: began)
            let queue = try await command.queue(runtime.community.moderation)
            let worker = Jobs.Worker(database: runtime.database, logger: runtime.logger)
            Moderation.register(on: worker, community: runtime.community)
            let alone = try await Self.reading(runtime.community.boards) { try await Task.sleep(for: .seconds(5)) }
            let acts = BenchBox<[Double]>([])
            let busy = try await Self.reading(runtime.community.boards) {
                let times = try await command.acts(runtime.community.moderation, worker)
                acts.change { $0 = times }
            }
            print(
                String(
                    format:
                        "{\"queue_p50_ms\":%.2f,\"queue_p95_ms\":%.2f,\"hidden\":%d,\"hide_s\":%.2f,\"undo_s\":%.2f,"
                        + "\"read_p99_ms\":%.2f,\"read_beside_p99_ms\":%.2f}",
                    queue.p50, queue.p95, command.threads * Self.each, acts.value[0], acts.value[1], alone, busy))
        }
    }

    /// One account opens the threads and answers itself in each.
    private func spam(_ store: Boards.Store) async throws {
        let (threads, each) = (threads, Self.each)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    for number in stride(from: part, to: threads, by: 4) {
                        let opened = try await store.open(
                            Boards.NewThread(title: "Watches \(number)", body: "Buy them."), on: Self.book,
                            by: Self.spammer)
                        for reply in 1..<each {
                            _ = try await store.reply(
                                Boards.NewPost(body: "Buy watch \(number) \(reply)."), in: opened.thread.id,
                                by: Self.spammer)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Pages of twenty cases, at the front and deep in the queue.
    private func queue(_ store: Moderation.Store) async throws -> BenchTimes.Row {
        var times = BenchTimes()
        for depth in [0, cases / 2, cases - 40] {
            var start = PageRequest<Moderation.Key>.Start.first
            var left = depth
            while left > 0 {
                let page = try await store.queue(nil, PageRequest(start, limit: min(left, 100)))
                guard let next = page.next else { break }
                (start, left) = (.after(next), left - page.items.count)
            }
            let place = start
            times.add("queue at \(depth)", count: 200) { _ in
                _ = try await store.queue(nil, PageRequest(place, limit: 20))
            }
        }
        try await times.measure()
        return times.slowest("queue")
    }

    /// Seconds until all that the account said is hidden, and until it is back.
    private func acts(_ store: Moderation.Store, _ worker: Jobs.Worker) async throws -> [Double] {
        var query = Moderation.Query()
        // What it is filled with is older.
        (query.kind, query.author, query.since) = ("post", "bench_3", SystemClock().now() - .seconds(3_600))
        let order = Moderation.Order(.hide, by: .terminal("bench"), reason: "spam")
        var (choice, times): (Moderation.Choice, [Double]) = (.found(query), [])
        for _ in 0..<2 {
            let began = ContinuousClock.now
            let act = try await store.act(order, on: choice)
            _ = try await worker.drain()
            times.append((ContinuousClock.now - began) / .seconds(1))
            guard let id = act.id else { throw CommandError(.failure, "nothing was to be hidden") }
            let done = try await store.bulk(id)
            guard done.outcomes[.done] == threads * Self.each else {
                throw CommandError(.failure, "\(done.outcomes) of \(threads * Self.each)")
            }
            choice = .undoing(id)
        }
        return times
    }

    /// The 99th percentile in milliseconds of pages of a board, a hundred a second, while `work` is done.
    private static func reading(_ store: Boards.Store, while work: @escaping @Sendable () async throws -> Void)
        async throws
        -> Double
    {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            group.addTask {
                var times: [Double] = []
                while !Task.isCancelled {
                    let began = ContinuousClock.now
                    do {
                        let page = PageRequest<Boards.ThreadKey>(limit: 20)
                        _ = try await store.threads(on: book, sort: .active, for: .anonymous, page: page)
                    } catch {
                        // It is over, in the middle of a page.
                        guard !Task.isCancelled else { break }
                        throw error
                    }
                    times.append((ContinuousClock.now - began) / .milliseconds(1))
                    try? await Task.sleep(until: began + .milliseconds(10))
                }
                return times
            }
            try await work()
            group.cancelAll()
            let times = try await group.next()?.sorted() ?? []
            return times.isEmpty ? 0 : times[times.count * 99 / 100]
        }
    }
}
