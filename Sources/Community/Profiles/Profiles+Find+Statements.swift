import Postgres

extension Profiles.Statements {
    /// Readers by words of username and name, best first. Found by the index `account_sought`, and the one with the very
    /// username by `account_username_key`; then each is held against what the viewer may see.
    struct Sought: ListStatement, ForViewer {
        static func sql(_ variation: Both<Profiles.Spelling, Direction>) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["told.rank", "told.id"],
                ["\(\.span.place.rank, as: Int32.self)::integer", "\(\.span.place.id)"], isAscending: false,
                variation.second)
            let parts = Self.parts(of: variation.first)
            return """
                with asked as materialized (
                    select said.word, said.place
                      from unnest(string_to_array(btrim(reader_sought(\(\.query)::text)), ' ')) with ordinality said (word, place)
                     where said.word <> ''
                     limit \(Limits.profiles.foundWords)
                )\(parts.words)
                select \(Accounts.Reader.columns(of: "reader")), told.is_friend, told.rank
                  from (select found.id, known.is_friend, \(parts.rank) + known.is_friend::integer as rank
                          from ((select account.id, account.username_folded, account.name
                                   from (select account.id, account.username_folded, account.name, \(text) as sought
                                           from account
                                          where account.reach > 0
                                            and \(text) \(parts.beginning)
                                         offset 0) account
                                  where \(parts.rest)
                                  limit \(Limits.profiles.found))
                                \(parts.more)) found
                         cross join lateral (
                               select case when found.username_folded = \(username) then \(Visibility.public.rawValue)
                                           else \(Privacy.level(.name, of: "found.id")) end as level
                                limit 1) shown
                         cross join lateral (
                               select exists (select
                                                from friendship
                                               where friendship.reader_id = \(.viewer)
                                                 and friendship.friend_id = found.id) as is_friend
                                limit 1) known
                         where \(Visibility.predicate(viewer: .viewer, owner: "found.id", level: "shown.level"))) told
                  join account reader on reader.id = told.id
                 where \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, query: String, spelling: Profiles.Spelling, span: Span<Profiles.FoundPlace>
        var variation: Both<Profiles.Spelling, Direction> { Both(spelling, span.direction) }

        static func decode(_ columns: inout Columns) throws -> Keyed<Profiles.Found, Profiles.FoundPlace> {
            let reader = try Accounts.Reader(&columns)
            let found = Profiles.Found(reader: reader, isFriend: try columns("is_friend"))
            return Keyed(item: found, key: Profiles.FoundPlace(rank: try columns("rank"), id: reader.id))
        }
    }
}

extension Profiles.Statements.Sought {
    /// What the index holds of an account.
    private static let text: Fragment =
        "reader_sought(account.username_folded || ' ' || coalesce(account.name, ''))"

    /// What was asked for as a username.
    private static let username: SQL<Self> = "lower(btrim(\(\.query)::text, ' @'))"

    /// The parts in which one spelling differs from the other.
    private struct Parts {
        /// More that is made of the words.
        let words: Fragment
        /// What the index is asked: it gives all readers who match, and some who do not.
        let beginning: Fragment
        /// Which of them match.
        let rest: Fragment
        /// More who match.
        let more: SQL<Profiles.Statements.Sought>
        let rank: SQL<Profiles.Statements.Sought>
    }

    private static func parts(of spelling: Profiles.Spelling) -> Parts {
        switch spelling {
        case .asAsked:
            Parts(
                words: "",
                beginning: """
                    like (select '% ' || asked.word || '%' from asked order by char_length(asked.word) desc, asked.place limit 1)
                    """,
                rest: "not exists (select from asked where account.sought not like '% ' || asked.word || '%')",
                more: """
                    union
                    select account.id, account.username_folded, account.name from account where account.username_folded = \(username)
                    """,
                rank: """
                    case when found.username_folded = \(username) then 8
                                    when reader_sought(found.name) = reader_sought(\(\.query)::text) then 6
                                    when starts_with(found.username_folded, \(username)) then 4
                                    else 2 end
                    """)
        case .mistyped:
            // A letter is another one, too many, missing, or changed places with the next.
            Parts(
                words: """
                    , mistyped as materialized (
                        select asked.place, '% ' || variant.word || '%' as pattern
                          from asked
                         cross join generate_series(1, char_length(asked.word)) at
                         cross join lateral (
                               values (left(asked.word, at - 1) || '_' || substr(asked.word, at + 1)),
                                      (left(asked.word, at - 1) || substr(asked.word, at + 1)),
                                      (left(asked.word, at) || '_' || substr(asked.word, at + 1)),
                                      (left(asked.word, at - 1) || substr(asked.word, at + 1, 1)
                                       || substr(asked.word, at, 1) || substr(asked.word, at + 2))) variant (word)
                         where char_length(asked.word) between 5 and 15
                         limit \(4 * 15 * Limits.profiles.foundWords)
                    )
                    """,
                beginning: "like any ((select array_agg(mistyped.pattern) from mistyped)::text[])",
                rest: """
                    exists (select
                              from mistyped
                             where account.sought like mistyped.pattern
                               and not exists (select
                                                 from asked
                                                where asked.place <> mistyped.place
                                                  and account.sought not like '% ' || asked.word || '%'))
                    """,
                more: "", rank: "0")
        }
    }
}
