import Postgres

extension Notebook {
    /// Where words are looked for first.
    enum Plan: String, Variation {
        /// Among the next rows of the reader, in their order: common words are soon found there.
        case walk
        /// In the index of words, which knows of rare ones at once. It gives all that there are, to be sorted.
        case index
    }
}

extension Notebook.Statements {
    /// What of a reader's own has the words, newest first, with its text. Indexes `own_words_in_order`,
    /// `own_words_words`.
    struct Find: ListStatement, ForViewer {
        static func sql(_ variation: Both<Notebook.Plan, Direction>) -> SQL<Self> {
            let (plan, direction) = (variation.first, variation.second)
            let keyset = Keyset<Self>(
                ["own_words.id", "own_words.kind"], ["\(\.span.place.id)", "\(\.span.place.kind)"], isAscending: false,
                direction)
            let hits: SQL<Self> =
                switch plan {
                case .walk:
                    """
                    select own_words.id, own_words.kind, own_words.work_id
                          from (select own_words.*
                                  from own_words
                                 where own_words.reader_id = \(.viewer)
                                   and \(keyset.condition)
                                 order by \(keyset.order)
                                 limit \(Limits.notebook.walk)) own_words
                         where ts_match_vq(own_words.words, (select (\(\.words)::text[])[1]::tsquery))
                           and \(isAsked)
                    """
                case .index:
                    // The reader's own mark is among the words: no index of readers is to be asked beside them.
                    """
                    select distinct own_words.id, own_words.kind, own_words.work_id
                          from unnest(\(\.words)::text[]) asked (words)
                         cross join lateral (
                               select own_words.id, own_words.kind, own_words.work_id
                                 from own_words
                                where own_words.words @@ asked.words::tsquery
                                  and own_words.reader_id + 0 = \(.viewer)
                                  and \(keyset.condition)
                                  and \(isAsked)
                                order by \(keyset.order)
                                limit \(\.span.limit)) own_words
                    """
                }
            return """
                with hit as materialized (
                    \(hits)
                     order by \(keyset.order)
                     limit \(\.span.limit)
                )
                select hit.kind, hit.id, coalesce(note.id, note_item.note_id) as note_id, \(Catalog.Book.columns),
                       coalesce(note.title, note_item.body, nullif(concat_ws(chr(10), photo.comment, picture.alt, photo.words), ''),
                                bookmark.label, '') as said,
                       coalesce(note.position, note_item.position, photo.position, bookmark.position) as position,
                       coalesce(note.page, note_item.page, photo.page, bookmark.page) as page,
                       coalesce(note.created_at, note_item.created_at, photo.created_at, bookmark.created_at) as created_at
                  from hit
                  join work on work.id = hit.work_id
                  left join note on hit.kind = 'note' and note.id = hit.id
                  left join note_item on hit.kind in ('text', 'quote') and note_item.id = hit.id
                  left join photo on hit.kind = 'photo' and photo.id = hit.id
                  left join picture on picture.id = photo.picture_id
                  left join bookmark on hit.kind = 'bookmark' and bookmark.id = hit.id
                 order by hit.id \(direction == .onward ? "desc" : "" as Fragment), hit.kind \(direction == .onward ? "desc" : "" as Fragment)
                """
        }

        /// Whether the row of `own_words` in scope is of the book, kind and theme that were named.
        private static var isAsked: SQL<Self> {
            """
            (\(\.work)::bigint is null or own_words.work_id = \(Catalog.resolved("\(\.work)")))
                       and own_words.kind = any(\(\.kinds))
                       and (\(\.theme)::bigint is null or exists (
                            select 1
                              from note_theme
                             where note_theme.theme_id = \(\.theme)
                               and note_theme.note_id in (
                                   select case own_words.kind when 'note' then own_words.id end
                                    union all
                                   select item.note_id
                                     from note_item item
                                    where own_words.kind in ('text', 'quote') and item.id = own_words.id
                                    union all
                                   select item.note_id
                                     from note_item item
                                    where own_words.kind = 'photo' and item.photo_id = own_words.id)))
            """
        }

        let viewer: ID<Accounts.Account>
        /// Each as a `tsquery` with the reader's own mark: what any of them finds. Of `walk` there is one.
        let words: [String], plan: Notebook.Plan, span: Span<Notebook.HitKey>
        let work: ID<Catalog.Work>?, theme: ID<Notebook.Theme>?, kinds: [String]
        var variation: Both<Notebook.Plan, Direction> { Both(plan, span.direction) }
        typealias Output = Notebook.Found
    }
}
