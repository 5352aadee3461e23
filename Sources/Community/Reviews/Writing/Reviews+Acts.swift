import Postgres

extension Reviews {
    /// What a change of a review means for `activity`.
    enum Act: Hashable, Sendable {
        case record(Int64, Activity.Kind, Review, at: Timestamp)
        /// Takes back what was done of one kind, or all (`nil`).
        case undo(Activity.Kind?, Review, at: Timestamp)

        func add(to batch: inout Batch) {
            switch self {
            case .record(let id, let kind, let review, let time):
                batch.run(
                    Activity.Statements.Record(
                        id: id, reader: review.author.id, work: review.book.id, kind: kind, at: time,
                        subject: review.id.rawValue, since: review.createdAt))
            case .undo(let kind, let review, let time):
                batch.run(
                    Activity.Statements.Undo(subject: review.id.rawValue, since: review.createdAt, kind: kind, at: time)
                )
            }
        }
    }

    /// The acts in the change of a review from `old` to `new`: at most one of each kind stands for a review.
    static func acts(
        from old: Review?, to new: Review, at time: Timestamp, ids: IDMaker
    ) throws(Failure) -> [Act] {
        func record(_ kind: Activity.Kind) throws(Failure) -> Act {
            .record(try ids.make(Activity.Act.self).rawValue, kind, new, at: time)
        }
        guard let old else { return [try record(new.body == nil ? .bookRated : .reviewPosted)] }
        if old.body != nil, new.body == nil { return [.undo(nil, new, at: time), try record(.bookRated)] }
        var acts: [Act] = []
        if old.rating != nil, new.rating == nil { acts.append(.undo(.bookRated, new, at: time)) }
        if old.body == nil, new.body != nil { acts.append(try record(.reviewPosted)) }
        if old.rating == nil, new.rating != nil { acts.append(try record(.bookRated)) }
        return acts
    }
}
