import Jobs
import Postgres

/// A part of the community, as other domains know it. It is registered once, in `Community.domains`; what it leaves out, it
/// does not have.
///
/// What others begin and this domain has a part in is a function here: an account ends, a friendship ends, works merge or change. Each
/// runs in the transaction of the one who began it, domain after domain in the order of `Community.domains`, which is the order in which
/// they take locks.
package protocol Domain: Recounting {
    /// The kinds of things that readers meet here.
    static var things: [any ThingKind.Type] { get }
    /// The kinds of events that it writes; the stream's README says of each whom it reaches and what it tells.
    static var eventKinds: [String] { get }
    /// What its events are about.
    static var eventSubjects: [EventSubject] { get }
    /// Which topics readers may follow that are about its things, by the word before the colon.
    static var topics: [String: TopicRule] { get }
    /// The tables whose rows are readers' own: an export holds them, and `check` looks there for what is left of a deleted
    /// account. `accountEnds` takes them away.
    static var personalTables: [PersonalTable] { get }
    /// The columns by which readers hang something on works: such a work stays where its source takes it back.
    static var worksOfReaders: [WorkColumn] { get }
    /// What a merge does to what hangs on works, in this order.
    static var workMerge: [MergeStep<Catalog.Work>] { get }
    static var editionMerge: [MergeStep<Catalog.Edition>] { get }
    static var authorMerge: [MergeStep<Catalog.Author>] { get }

    /// For each question, in its order, those of its viewers for whom the answer is no. It asks `eventSubjects`, unless
    /// the domain has a statement of its own.
    static func exceptions(to questions: EventQuestions, in database: Database) async throws -> [Exceptions]

    /// Handles its jobs.
    static func register(on worker: Jobs.Worker, community: Community)

    /// Gives a new account, whose row is written, what each has from the first moment on.
    static func accountBegins(
        _ account: ID<Accounts.Account>, at time: Timestamp, of services: Services, in transaction: Transaction
    ) async throws
    /// Counts what an account says of books from now on, or no longer: a job does it.
    static func standingChanges(of account: ID<Accounts.Account>, in queryable: some Queryable) async throws
    /// Takes back what an account, which is locked, said and did. What takes long is left to a job.
    static func accountEnds(_ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction)
        async throws
    /// Takes back at once, in transactions of its own, what that job does: of an account that others are not to remember.
    static func forget(_ account: ID<Accounts.Account>, in services: Services) async throws
    /// What two readers are to each other changes; both accounts are locked.
    static func relationChanges(
        _ change: RelationChange, of one: ID<Accounts.Account>, and other: ID<Accounts.Account>, in services: Services,
        _ transaction: Transaction) async throws
    /// Locks what all who write about one of two works lock before the works, which are locked next.
    static func worksAreToMerge(_ merge: Merge<Catalog.Work>, in transaction: Transaction) async throws
    /// Takes what hangs on one work over to another: `workMerge`, unless there is more to do.
    static func worksMerge(_ merge: Merge<Catalog.Work>, of services: Services, in transaction: Transaction)
        async throws
    /// Brings what it keeps of works up to date with them.
    static func worksChange(_ change: WorksChange, in transaction: Transaction) async throws
}

extension Domain {
    package static var recounts: [Recount] { [] }
    package static var allRecounts: [Recount] {
        recounts + things.flatMap { ($0 as? any Reactable.Type)?.reactionRecounts ?? [] }
    }
    package static var things: [any ThingKind.Type] { [] }
    package static var eventKinds: [String] { [] }
    package static var eventSubjects: [EventSubject] { [] }
    package static var topics: [String: TopicRule] { [:] }
    package static var personalTables: [PersonalTable] { [] }
    package static var worksOfReaders: [WorkColumn] { [] }
    package static var workMerge: [MergeStep<Catalog.Work>] { [] }
    package static var editionMerge: [MergeStep<Catalog.Edition>] { [] }
    package static var authorMerge: [MergeStep<Catalog.Author>] { [] }

    package static func register(on worker: Jobs.Worker, community: Community) {}
    package static func accountBegins(
        _ account: ID<Accounts.Account>, at time: Timestamp, of services: Services, in transaction: Transaction
    ) async throws {}
    package static func standingChanges(
        of account: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws {}
    package static func forget(_ account: ID<Accounts.Account>, in services: Services) async throws {}
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {}
    package static func relationChanges(
        _ change: RelationChange, of one: ID<Accounts.Account>, and other: ID<Accounts.Account>, in services: Services,
        _ transaction: Transaction
    ) async throws {}
    package static func worksAreToMerge(_ merge: Merge<Catalog.Work>, in transaction: Transaction) async throws {}
    package static func worksMerge(
        _ merge: Merge<Catalog.Work>, of services: Services, in transaction: Transaction
    ) async throws {
        try await merge.run(workMerge, of: Self.self, in: transaction)
    }
    package static func worksChange(_ change: WorksChange, in transaction: Transaction) async throws {}
}

/// A column that names works.
package struct WorkColumn: Sendable {
    let table: Fragment
    let name: Fragment

    package init(_ table: Fragment, _ name: Fragment = "work_id") { (self.table, self.name) = (table, name) }
}

/// What becomes of two readers.
package enum RelationChange: Sendable {
    /// They are friends no longer.
    case parted
    /// One has blocked the other, whether they were friends or not.
    case blocked
    /// No block is left between the two.
    case unblocked
}

/// What became of works.
package enum WorksChange: Sendable {
    /// A few, changed by hand: searches find them by what they are now as soon as the change is committed.
    case byHand([ID<Catalog.Work>])
    /// Many: jobs bring searches and lists up to date within seconds.
    case imported([ID<Catalog.Work>])
    /// All of these authors: their names are new.
    case renamed(authors: [ID<Catalog.Author>])
}

extension CaseIterable where Self: RawRepresentable<String> {
    static var names: [String] { allCases.map(\.rawValue) }
}
