import Postgres

extension Feed.Statements {
    /// Pairs of a question's place in the list and a viewer for whom the answer is yes now.
    struct Visible: Statement {
        static let name = "feed.visible"
        static let sql = """
            select asked.place - 1, viewer.id
              from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality asked (kind, owner, value, place)
             cross join unnest($4::bigint[]) viewer (id)
              left join review on asked.kind = 'review' and review.id = asked.value
              left join shelf_entry on asked.kind = 'shelf' and shelf_entry.id = asked.value
              left join praise on asked.kind = 'praise' and praise.id = asked.value
              left join privacy on privacy.reader_id = coalesce(shelf_entry.reader_id, praise.reader_id)
             where case asked.kind
                   when 'review' then review.id is not null and
                        \(Visibility.predicate(viewer: "viewer.id", owner: "review.reader_id", level: "review.visibility"))
                   when 'shelf' then shelf_entry.id is not null and
                        \(Visibility.predicate(viewer: "viewer.id", owner: "shelf_entry.reader_id", level: Library.Statements.told))
                   when 'praise' then praise.id is not null and
                        \(Visibility.predicate(viewer: "viewer.id", owner: "praise.reader_id", level: Praise.Statements.told))
                   when 'level' then
                        \(Visibility.predicate(viewer: "viewer.id", owner: "asked.owner", level: "asked.value"))
                   end
            """
        let questions: [Feed.Rule.Question]
        let viewers: [Int64]

        func bind(to parameters: inout Parameters) {
            parameters.append(questions.map(\.subject.rawValue))
            parameters.append(questions.map(\.owner))
            parameters.append(questions.map(\.value))
            parameters.append(viewers)
        }

        static func decode(_ row: borrowing Row) throws -> (place: Int, viewer: Int64) { (try row[0], try row[1]) }
    }

    /// Whose acts make up a reader's home: the friends.
    struct HomeReaders: Statement {
        static let name = "feed.home_readers"
        static let sql = "select friend_id from friendship where reader_id = $1"
        let reader: Int64

        func bind(to parameters: inout Parameters) { parameters.append(reader) }

        static func decode(_ row: borrowing Row) throws -> Int64 { try row[0] }
    }
}
