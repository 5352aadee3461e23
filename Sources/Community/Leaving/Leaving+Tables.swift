import Postgres

extension Leaving {
    package static let personalTables: [PersonalTable] = [
        .init("reader_export", owner: "t.account_id"),
        .init(
            "reader_export_part", source: "reader_export_part t join reader_export on reader_export.id = t.export_id",
            owner: "reader_export.account_id", unexported: "An archive does not hold the one before."),
    ]

    /// Tables of which no row is a reader's.
    package static let impersonalTables: [ImpersonalTable] =
        [
            ImpersonalTable(
                "schema_migration", "Which migrations this database has.",
                texts: "name checksum state"),
            ImpersonalTable(
                "server", "Which database this is."),
            ImpersonalTable(
                "node_lease", "Which process makes which identifiers.",
                texts: "holder"),
            ImpersonalTable(
                "job",
                "Jobs that name a deleted account are removed with it, or go on without it (`Jobs.forget`); mails in them are sealed.",
                texts: "kind queue state unique_key payload worker last_error"),
            ImpersonalTable(
                "job_slot", "When scheduled work was due.",
                texts: "task"),
            ImpersonalTable("job_pause", "Which queues are paused.", texts: "queue actor"),
            ImpersonalTable("job_worker", "Which processes do jobs.", texts: "name queues"),
            ImpersonalTable(
                "outbox", "Events on their way: emptied in place (`EventLog.redact`).",
                texts: "kind topics subject_kind data", readers: "owner_id"),
            ImpersonalTable(
                "event",
                "Events that readers caused: emptied in place (`EventLog.redact`), their places stay. Made of rows that are exported.",
                texts: "kind topics subject_kind data", readers: "owner_id"),
            ImpersonalTable(
                "event_topic", "Where events stand in the log.",
                texts: "topic"),
            ImpersonalTable(
                "event_topic_head", "Where the chain of each topic ends.",
                texts: "topic"),
            ImpersonalTable(
                "event_head", "Where the log ends."),
            ImpersonalTable(
                "retired_username", "HMACs of names that nobody may take yet: they name nobody.",
                texts: "digest"),
            ImpersonalTable(
                "invitation",
                "Codes of the server's own; `made_by` is an identifier, which names nobody once the account is empty.",
                texts: "code_hash made_by"),
            ImpersonalTable(
                "auth_attempt", "Counters under HMACs, which name nobody, for a day or 90.",
                texts: "key"),
            ImpersonalTable(
                "moderation_action",
                "What moderators did, for good. `actor` is an identifier, which names nobody once the account is empty.",
                texts: "actor action subject_kind reason before after said"),
            ImpersonalTable(
                "moderation_bulk", "Acts on many things, as `moderation_action` has those on one.",
                texts: "state verb actor role reason said asked"),
            ImpersonalTable(
                "moderation_target", "What such an act was done to, by identifiers.",
                texts: "kind outcome code"),
            ImpersonalTable(
                "import_run", "What an import of the owner's did.",
                texts: "format file_name head"),
            ImpersonalTable(
                "work_rating", "Counters of a book: exact without who is gone."),
            ImpersonalTable(
                "work_shelf", "Counters of a book: exact without who is gone."),
            ImpersonalTable(
                "work_checkout", "A counter of a book: exact without who is gone."),
            ImpersonalTable(
                "media_file", "Files by the hash of their bytes; removed when no picture and no e-book uses them.",
                texts: "hash type"),
            ImpersonalTable(
                "ebook_file", "What is in an e-book: gone with the last who keeps it.",
                texts: "hash title creators language direction writing contents"),
            ImpersonalTable("ebook_chapter", "Goes with its file.", texts: "title"),
            ImpersonalTable("ebook_page", "Goes with its file.", texts: "printed html body"),
            ImpersonalTable("ebook_words", "Goes with its file."),
            ImpersonalTable("ebook_picture", "Goes with its file.", texts: "name type hash refused"),
            ImpersonalTable("ebook_former_page", "Goes with its file."),
            ImpersonalTable(
                "picture_variant", "Goes with its picture.",
                texts: "hash"),
            ImpersonalTable(
                "board_scope", "Counters of a book's board: exact without who is gone."),
            ImpersonalTable(
                "post_reaction_tally", "Counters of a post: exact without who is gone.",
                texts: "name"),
            ImpersonalTable(
                "reading_group",
                "Its members', name and description too, whoever wrote them; `maker_id` is empty once that account is.",
                texts: "name folded about html joining visibility", readers: "maker_id"),
            ImpersonalTable(
                "note_reaction_tally", "Counters of a note: exact without who is gone.",
                texts: "name"),
            ImpersonalTable(
                "review_reaction_tally", "Counters of a review: exact without who is gone.",
                texts: "name"),
            ImpersonalTable("ranking_mark", "Which sums are to be made anew: books and days."),
            ImpersonalTable("work_bucket", "Sums of a book: made anew without who is gone."),
            ImpersonalTable("work_bucket_hour", "Sums of a book: made anew without who is gone."),
            ImpersonalTable("site_bucket", "Sums of all books."),
            ImpersonalTable("ranking_generation", "When lists were made.", texts: "span"),
            ImpersonalTable("ranking_current", "Which lists are shown.", texts: "span"),
            ImpersonalTable("related_generation", "When neighbours of books were worked out."),
            ImpersonalTable("related_current", "Which neighbours of books are shown."),
            ImpersonalTable(
                "related_work", "Which books the same readers read: made anew each day without who is gone."),
            ImpersonalTable("ranking_new", "Books that the community began to read lately."),
            ImpersonalTable("work_begun", "Since when books are read here."),
            ImpersonalTable("hot_board", "How many readers wrote on books' boards."),
            ImpersonalTable("stream_state", "What holds now of topics that are nobody's own.", texts: "topic data"),
            ImpersonalTable("ranking_entry", "Places of books in lists, for two days."),
            ImpersonalTable("rating_hold", "Books whose ratings are held."),
            ImpersonalTable(
                "ranking_hold",
                "What moderators did. `actor` is an identifier, which names nobody once the account is empty.",
                texts: "reason actor"),
            ImpersonalTable(
                "source_silence", "Questions about books, without who asked them, for hours.",
                texts: "question"),
        ]
        + catalogueTables.map {
            ImpersonalTable(
                $0.key, "The catalogue is everybody's: who changed what is in catalog_revision.", texts: $0.value)
        }

    /// Tables of the catalogue and what is made of it, each with its columns of text.
    private static let catalogueTables: KeyValuePairs<String, String> = [
        "author": "name folded aliases birth death about locked",
        "work": "kind title subtitle description language page form locked",
        "work_author": "role",
        "edition_contributor": "role",
        "series": "name folded author_folded",
        "work_series": "position",
        "genre": "slug name",
        "work_genre": "",
        "subject": "kind name folded",
        "work_subject": "",
        "edition": """
        title subtitle publisher published language format locked access_modes accessibility_features \
        accessibility_hazards accessibility_summary
        """,
        "edition_isbn": "",
        "edition_chapter": "title",
        "author_source": "key",
        "work_source": "key",
        "edition_source": "key",
        "absent_record": "key target",
        "imported_rating": "source",
        "work_popularity": "",
        "work_search": "title author",
        "search_word": "word",
        "search_word_count": "word",
        "search_stale": "",
        "search_state": "",
        "browse_scope": "kind key",
        "browse_entry": "title author",
        "browse_mark": "",
        "browse_mean": "",
        "source_record": "key source page cover",
        "edition_cover": "",
    ]
}
