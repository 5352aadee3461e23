import MarkdownReading
import Postgres

extension Texts.Statements {
    struct InsertText<Kind: Revised>: Statement {
        static var sql: SQL<Self> {
            let title: (column: Fragment, value: SQL<Self>) =
                Kind.revising.isTitled ? ("title, ", "\(\.title), ") : ("", "")
            return """
                insert into \(Kind.texts) (id, \(Kind.key), \(title.column)body, html, veiled_body, veiled_html, at)
                values (\(\.id), \(\.thing), \(title.value)\(\.text.body), \(\.text.html), \(\.text.veiled?.body), \(\.text.veiled?.html), \(\.at))
                """
        }
        let id: ID<ShownText>, thing: ID<Kind>, title: String?, text: Markdown.Text, at: Timestamp
    }

    /// The text that a thing names, in whose place another is about to come, keeps what it stood under. The thing's row is
    /// locked by then: what another request wrote before is seen.
    struct RetireText<Kind: Revised>: Statement {
        static var sql: SQL<Self> {
            """
            update \(Kind.texts)
               set \(Kind.revising.mark) = \(\.mark)
             where id = (select text_id from \(Kind.facts.table) where id = \(\.thing))
            """
        }
        let thing: ID<Kind>, mark: Kind.Mark
    }

    /// Of the texts of a thing those between the first one and the newest, as many as are kept with `holding`. Index
    /// `post_text_of_post` for a kind `post`.
    struct DropOldTexts<Kind: Revised>: Statement {
        static var sql: SQL<Self> {
            """
            delete from \(Kind.texts)
             where \(Kind.key) = \(\.thing)
               and id <> \(\.holding)
               and id > (select min(first.id) from \(Kind.texts) first where first.\(Kind.key) = \(\.thing))
               and id < (select min(newest.id)
                           from (select id
                                   from \(Kind.texts)
                                  where \(Kind.key) = \(\.thing)
                                  order by id desc
                                  limit \(Kind.revising.kept - 1)) newest)
            """
        }
        let thing: ID<Kind>, holding: ID<ShownText>
    }

    /// Every text of things.
    struct RemoveTexts<Kind: Revised>: Statement {
        static var sql: SQL<Self> { "delete from \(Kind.texts) where \(Kind.key) = any(\(\.things))" }
        let things: [ID<Kind>]
    }

    /// A thing that stands and that the viewer may know of: whether it is open to them, and its scope as it is told.
    struct SeeTexts<Kind: Revised>: Statement, ForViewer {
        static var sql: SQL<Self> {
            let (facts, table) = (Kind.facts, Kind.facts.table)
            return """
                select \(Kind.opens()) as is_open, \(Kind.toldScope) as scope
                  from \(table)
                  \(facts.joins)
                 where \(table).id = \(facts.resolved("\(\.thing)"))
                   and \(facts.standsForViewer())
                   and \(Kind.isMet())
                """
        }
        let viewer: Viewer, thing: ID<Kind>

        static func decode(_ columns: inout Columns) throws -> (isOpen: Bool, scope: Gate.Scope) {
            (try columns("is_open"), try columns("scope"))
        }
    }

    /// The texts of a thing that the viewer may know of; index `post_text_of_post` for a kind `post`. Each is gated by
    /// what the thing stands under now and what the text stood under itself.
    struct History<Kind: Revised>: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let (facts, table) = (Kind.facts, Kind.facts.table)
            let keyset = Keyset<Self>("said.id", "\(\.span.place)", direction)
            func shown(_ veiled: Fragment, _ whole: Fragment) -> Fragment {
                "case when gate.is_open then case when veil.is_down then said.\(veiled) else said.\(whole) end end"
            }
            return """
                select said.id, \(Kind.toldScope) as scope, \(Kind.word) as word, gate.is_open, \(Kind.revising.isTitled ? "said.title" : "null::text") as title,
                       \(shown("veiled_body", "body")) as body, \(shown("veiled_html", "html")) as html, veil.is_down, said.at
                  from \(Kind.texts) said
                  join \(table) stands on stands.id = said.\(Kind.key)
                 cross join lateral (select \(Kind.revising.formerly)) \(table)
                  \(facts.joins)
                 cross join lateral (select \(Kind.opens()) as is_open limit 1) gate
                 cross join lateral (select said.veiled_body is not null and not \(Kind.unveils()) as is_down limit 1) veil
                 where said.\(Kind.key) = \(facts.resolved("\(\.thing)"))
                   and \(keyset.condition)
                   and \(Kind.isMet())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, thing: ID<Kind>, span: Span<ID<ShownText>>

        static func decode(_ columns: inout Columns) throws -> Texts.Former<Kind> {
            let (id, scope): (ID<ShownText>, Gate.Scope) = (try columns("id"), try columns("scope"))
            let (word, isOpen): (String, Bool) = (try columns("word"), try columns("is_open"))
            guard isOpen else {
                try columns.skip(through: "at")
                let placeholder = Gate.Placeholder(id: id.rawValue, kind: word, position: Int(scope.position))
                return Texts.Former(id: id, shown: .gated(placeholder))
            }
            let title: String? = try columns("title")
            let text = ShownText(body: try columns("body"), html: try columns("html"), isVeiled: try columns("is_down"))
            return Texts.Former(id: id, shown: .whole(title: title, text, at: try columns("at")))
        }
    }
}

extension Revised {
    fileprivate static var texts: Fragment { "\(facts.table)_text" }
    fileprivate static var key: Fragment { "\(facts.table)_id" }
}
