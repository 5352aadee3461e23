import Postgres

// Statements that differ only in their text: what they are told is written once here.

extension Catalog {
    /// About one work, `$1`.
    protocol OfWork: PositionalStatement {
        var work: ID<Work> { get }
    }

    /// About some works at once: `$1` is their identifiers.
    protocol OfWorks: PositionalStatement {
        var works: [ID<Work>] { get }
    }

    /// True where readers of ours hung anything on the work of this id: a review, a shelf, a list, a mark, a thread, a message, …
    static func hasReaders(_ work: String) -> String {
        """
        (exists (select 1 from work_popularity where work_popularity.work_id = \(work) and readers > 0)
         or exists (select 1 from review where review.work_id = \(work))
         or exists (select 1 from shelf_entry where shelf_entry.work_id = \(work))
         or exists (select 1 from book_list_item where book_list_item.work_id = \(work))
         or exists (select 1 from praise where praise.work_id = \(work))
         or exists (select 1 from bookmark where bookmark.work_id = \(work))
         or exists (select 1 from reveal where reveal.work_id = \(work))
         or exists (select 1 from copy where copy.work_id = \(work))
         or exists (select 1 from checkout where checkout.work_id = \(work))
         or exists (select 1 from loan where loan.work_id = \(work))
         or exists (select 1 from thread where thread.work_id = \(work))
         or exists (select 1 from post where post.also_work_id = \(work))
         or exists (select 1 from board_reader where board_reader.work_id = \(work))
         or exists (select 1 from message where message.work_id = \(work))
         or exists (select 1 from follow where follow.work_id = \(work))
         or exists (select 1 from reading_group where reading_group.work_id = \(work))
        )
        """
    }

    /// Takes what hangs on one entity, `$1`, over to another, `$2`.
    protocol Moving: PositionalStatement {
        associatedtype Entity
        var from: ID<Entity> { get }
        var into: ID<Entity> { get }
    }

    /// The same at a time, `$3`.
    protocol MovingAt: Moving {
        var at: Timestamp { get }
    }
}

extension Catalog.OfWork {
    func bind(to parameters: inout Parameters) { parameters.append(work) }
}

extension Catalog.OfWorks {
    func bind(to parameters: inout Parameters) { parameters.append(works) }
}

extension Catalog.Moving {
    func bind(to parameters: inout Parameters) {
        parameters.append(from)
        parameters.append(into)
    }
}

extension Catalog.MovingAt {
    func bind(to parameters: inout Parameters) {
        parameters.append(from)
        parameters.append(into)
        parameters.append(at)
    }
}
