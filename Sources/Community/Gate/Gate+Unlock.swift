import Jobs
import Postgres

extension Gate {
    /// Tells a reader's inbox what opened when their gate for a work did: `posts.unlocked`.
    ///
    /// Put into the queue by whatever may open a gate, in its transaction, where posts stand between the old gate and the new one. While one
    /// waits, later steps of the reader through the same work add nothing: it tells of all that opened since `from`.
    package struct Unlock: Job {
        package static let kind = "gate.unlock"

        package let reader: ID<Accounts.Account>
        package let work: ID<Catalog.Work>
        /// The gate before.
        package let from: Int

        package var uniqueKey: String? { reader.text + " " + work.text }
    }

    /// That the gate of a reader for a work is further now than it was, and that posts stand between the two.
    struct Opened: Jobs.Condition {
        static let name = "gate_opened"
        static let sql = """
            exists (with gate as materialized (select \(Gate.level(viewer: "$7", work: "$8")) as level)
                    select 1
                      from gate
                     where gate.level > $9
                       and (exists (select 1 from board_scope
                                     where board_scope.work_id = $8
                                       and board_scope.scope > $9
                                       and board_scope.scope <= gate.level
                                       and board_scope.posts > 0)
                            or exists (select 1 from post
                                        where post.also_work_id = $8
                                          and post.also_scope > $9
                                          and post.also_scope <= gate.level)))
            """
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let from: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(work)
            parameters.append(from)
        }
    }

    /// What whoever moves the gate of a reader for a work, which is no merged one, runs behind that; `from`: the gate before. The reader's account
    /// is locked.
    static func unlocking(
        of work: ID<Catalog.Work>, for reader: ID<Accounts.Account>, from: Int
    ) throws -> Jobs.EnqueueIf<Opened> {
        try Jobs.EnqueueIf(
            Unlock(reader: reader, work: work, from: from), where: Opened(reader: reader, work: work, from: from))
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(Unlock.self) { job, attempt in
            try await community.house.database.transaction { transaction in
                try await community.gate.tell(job, in: transaction)
                try await attempt.finish(in: transaction)
            }
        }
    }
}

extension Gate.Store {
    /// One event of what opened; none where nothing did that the reader may see, or the gate has shut again.
    func tell(_ job: Gate.Unlock, in transaction: Transaction) async throws {
        // Whoever moves the gate holds the account: what comes after this finds no job that runs.
        guard try await transaction.first(Library.Statements.LockReader(reader: job.reader)) != nil else { return }
        let opened = try await transaction.all(
            Gate.Statements.OpenedPosts(reader: job.reader, work: job.work, from: job.from))
        guard !opened.isEmpty else { return }
        try await Gate.Event.unlocked(
            Gate.Unlocked(book: job.work, posts: opened.map(\.post), isCut: opened.contains { $0.isCut }),
            for: job.reader
        ).append(in: transaction, house: house)
    }
}
