// The sentences of properties whose names begin with A to L.
extension Sentences {
    static let first = """
        about: What the thing or the person is about, in words.
        access: Who may read here: `public` for everybody, `members` for readers who signed in.
        access_modes: By which senses the edition is taken in: words of schema.org's `accessMode`.
        access_token: The token that was made; its text is shown once.
        accessibility_features: What helps to take the edition in: words of schema.org's `accessibilityFeature`.
        accessibility_hazards: What in the edition may harm: words of schema.org's `accessibilityHazard`.
        accessibility_summary: For whom the edition is made and what it lacks, for people; null where nobody wrote it.
        account: The account.
        act: What was done.
        act_count: How many acts of moderators there are.
        action: What was done, by name.
        active_at: When something was last said there.
        actor: Who did it; null for somebody whom you may not see.
        actor_count: How many readers did it.
        actors: The readers who did it, the last first, at most three.
        acts: Acts of moderators.
        add_on: The supplement of five digits, such as a price.
        added_at: When it was added.
        added_by: The reader who added it; null where that reader is gone.
        after: Where the thing goes: behind the one with this id; null puts it first.
        contributors: Who made it, each with what they did. Of an edition: narrators, translators, illustrators.
        reread_count: Readings of books that the reader had finished before.
        ahead: How many posts lie ahead of you.
        ahead_count: How many posts lie ahead of you.
        aliases: Other names of the author.
        all: All together.
        also: A later book of the series that is given away too.
        alt: What the picture shows, in words, for readers who do not see it.
        answer: The librarian's answer.
        api: Where the API begins.
        api_version: The version of the API.
        appointed_at: When the reader was appointed.
        approved: Whether an administrator has let the account in.
        article: What the code is, where it is no book.
        as_of: As of when the list was made.
        asked: The sources that were asked, each with what it said.
        asked_at: When the copy was asked for.
        at: When it happened.
        audience: Who reads it: `me` (its reader alone), `everybody`, `members`, or `on_loan` (who has a copy from the server's library).
        author: Who wrote it.
        author_count: How many authors there are in all.
        authors: The authors, the first one first.
        average: The average of all ratings; null where there are none.
        banned_at: When the reader was banned.
        because: The book of yours that leads there; null where it is for another reason.
        before: What was there before.
        befriended_at: When the two became friends.
        bio: What the reader says about themselves, as Markdown.
        birth: When the author was born: a year, a month or a day.
        blocked_at: When you blocked the reader.
        board: The board.
        body: The text, as Markdown.
        book: The book.
        book_count: How many books there are.
        book_id: The book's id.
        bookmark_count: How many bookmarks you have in the book.
        bookmarks: Your newest bookmarks.
        books: The books.
        born: When the author was born: a year, a month or a day.
        borrowed: What you have borrowed.
        by: Who did it: a moderator, an administrator or the server.
        can_write: Whether you may write here.
        candidates: Books that are alike, where that is why the call was refused.
        card: The book or post that goes with the message; null where there is none.
        case: The case that moderators look at.
        categories: The genres, by name.
        category: What is wrong with it.
        changed: How many were changed.
        changed_at: When it was last changed.
        changed_count: How many were changed meanwhile.
        changes: The changes, field by field.
        chapter: The chapter, counted from 1.
        chapters: The chapters, in order.
        checkout_count: How often the book was checked out; of one reader's checkouts on one day one counts.
        checkout_id: The checkout that came of it; null where the copy was not handed over.
        checkout_library_id: The library that you have the book from; null where you have it from none that is there.
        checkouts: How often the book is borrowed now.
        checks: What was looked at; empty unless asked for.
        claim_ends_at: When the claim ends; null where nobody has one.
        claimed_by: The moderator who looks at the case; null where nobody does.
        claimed_until: Until when the case is claimed.
        code: The code.
        codes: The codes, as they were scanned.
        color: The color of the theme, such as #4a90d9; null for none.
        comment: What the reader says of it, as plain text.
        comment_count: How many posts and replies the reader wrote.
        comments: Posts and replies.
        confidence: How sure the reading is, in hundredths; null where it is not known.
        confirm: Add it though others are like it.
        contact: Where to ask questions about this server; null where the owner gave nothing.
        contents: The table of contents, in the order of the book.
        conversation_id: The conversation's id.
        copies: How many copies the library has.
        copy: The copy.
        copy_count: How many copies there are.
        copy_id: The copy's id.
        count: How many there are.
        country: The country, as the other service says it.
        counts: How many friends have the book on each shelf.
        cover: The cover; null where there is none.
        created_at: When it was made.
        creators: Who wrote it, as the file says it.
        crop: What is shown of the turned picture; null for all of it.
        current: Whether it is the one that asks.
        cursor: The place in the log after this frame: send it back to go on from here.
        data: What is told.
        day: The day.
        days: How many days it lasts.
        days_per_book: The mean of days from first to last, both counted; null where none are known.
        death: When the author died: a year, a month or a day.
        decided: How many were decided.
        decided_at: When it was decided; null while it waits.
        decided_by_machine: Whether the server decided it by a rule.
        decided_count: How many cases were decided.
        declined_at: When it was declined.
        deleted: Always true: the post is no more.
        deleted_at: When it was deleted; null while it stands.
        deleted_folder_count: How many folders were deleted.
        deleted_note_count: How many notes were deleted.
        depth: How deep the answer stands under the first post.
        description: What the thing is about, in words.
        detail: What happened, in words for people.
        device: The name that the app gave the device; null where it gave none.
        died: When the author died: a year, a month or a day.
        direction: Which way its pages are turned: `ltr` or `rtl`.
        domain: The part of the other service that the fault belongs to.
        done: How much is done.
        done_count: How many parts are done.
        drawn: Whether the server drew the cover from the title.
        dry_run: Only show what would be done.
        due: The day on which the copy is to come back; null where none was agreed.
        due_at: When the copy is to come back; null where the library sets no day.
        duplicate_of: The place of the same code earlier in the list.
        ebook: The id of an e-book of the book.
        ebook_id: The id of the e-book; null where the place was said otherwise.
        edited_at: When the text was last changed; null where it never was.
        edition: The edition.
        edition_id: The edition's id; null where none was named.
        editions: The editions.
        email: The e-mail address.
        email_confirmation: The same e-mail address once more.
        email_domain: What stands behind the @ of the e-mail address.
        email_verified: Whether the e-mail address is proven.
        embeddable: Always false: no text of the book can be shown.
        empty_because: Why there are no items: `not_made` (nothing was worked out yet), `no_data` (nothing leads to a book) or `no_friends`; null where there are some.
        ended_at: When it ended; null while it goes on.
        epub: Whether there is an EPUB: never.
        error: What went wrong.
        errors: What is wrong with single fields and parameters; empty where that is not the reason.
        etag: A word that changes with what is answered.
        evidence: What was said, as it was when it was reported.
        excerpt: The first words of the text.
        expect: How many things you expect; more of them are refused.
        expected: What should stand there.
        expected_count: How many things you expect; more of them are refused.
        expires_at: When it ends; null where it does not.
        fast: The share of the last hours in the score.
        fault: What is wrong with the code; null where nothing is.
        favourite: Whether you marked the book as a favourite.
        favourites: The favourites, in the reader's order.
        fetched_at: When the source was asked.
        few: Whether there are too few readers for an exact number.
        finished: When the reading ended: a year, a month or a day; null while it goes on or where it is not known.
        finished_at: When it was done; null while it goes on.
        first_page: The address of its first page.
        folder_count: How many folders there are.
        folder_id: The folder in which it stands; null for none.
        folders: Folders of notes.
        followed_at: When you followed it.
        form: What the book is in form: a novel, a collection and so on.
        format: The format: `paperback`, `hardcover`, `ebook`, `audiobook`, `large_print`, `braille`, or as a source prints it.
        found: What was found there.
        found_count: How many were found.
        friend_count: How many friends the reader has; null where you may not know.
        friend_request_id: The open request between you and the reader, of either; null where there is none.
        friends: The friends.
        friends_since: When the two became friends.
        from: A cursor to go on from, or `now`.
        gate: How far a post may give away before it is hidden from you, in ten-thousandths of the book.
        gated: Always true: what is said lies ahead of you.
        gates_rereads: Whether books that you read again are gated anew.
        genre: The genre; null where it is for another reason.
        genre_count: How many genres there are in all.
        genres: The genres.
        goal: What was set out to be read in the year; null where nothing was.
        group: The group; null where it is about none.
        group_count: How many groups the reader belongs to.
        group_id: The group's id; null where it is about none.
        growth: How much faster than usual the book moves.
        has_card: Whether a book or post goes with the message.
        has_gated_rereads: Whether books that you read again are gated anew.
        has_own_visibility: Whether it has a level of its own.
        has_read_receipts: Whether others see what you have read.
        has_requested: Whether you asked to join.
        has_spoilers: Whether the text gives the story away.
        heads: The last number that was sent on each topic.
        heartbeat: Seconds between two heartbeats.
        height: The height in pixels.
        histogram: How many ratings there are of each kind, from a quarter of a star to five.
        hold_ends_at: Until when moderators keep the book off the list; null where they do not.
        href: The address.
        html: The text as safe HTML.
        id: The id.
        identifier: The number.
        ignored: Words of the search that were passed over.
        image: Whether there are pictures of pages: never.
        in_reply_to: The post that it answers.
        inbox: Whether the inbox tells it.
        included: The lists that `include` names, each under its name.
        instance: A name for this one call, for questions to the owner.
        into: The id of the one that stays.
        into_id: The theme that takes the place of this one.
        invitation: The code of an invitation, where the server asks for one.
        invited_at: When the reader was invited; null for a member who never was.
        inviter: Who invited you.
        is_ahead: Whether it lies ahead of you.
        is_announced: Whether friends read in their feeds that it is reached.
        is_approved: Whether an administrator has let the account in.
        is_archived: Whether you put the conversation away.
        is_borrowed: Whether you have a copy out of a library.
        is_checked_out: Whether you have the book out of a library.
        is_confirmed: Whether it was looked at and is meant all the same.
        is_current: Whether it is the one that asks.
        is_cut: Whether the text was too long and was left out.
        is_decided_by_machine: Whether the server decided it by a rule.
        is_drawn: Whether the server drew the cover from the title.
        is_dry_run: Whether it only shows what would be done.
        is_email_verified: Whether the e-mail address is proven.
        is_favourite: Whether you marked the book as a favourite.
        is_few: Whether there are too few readers for an exact number.
        is_followed: Whether you follow it.
        is_friend: True for a friend of yours.
        is_hidden: Whether moderators hid it.
        is_in_inbox: Whether the inbox tells it.
        is_incoming: Whether it came to you.
        is_invited: Whether you are invited.
        is_lent: Whether you lend it; false where you borrow it.
        is_locked: Whether nothing more can be written.
        is_looked_up: Whether other catalogues were asked.
        is_mailed: Whether a mail tells it too.
        is_muted: Whether you muted it.
        is_near: Whether a word matched only with one wrong letter.
        is_off: Whether the gate is off.
        is_on: Whether the gate is on.
        is_own_visibility: Whether it has a level of its own.
        is_owned: Whether a copy stands in your own library.
        is_paused: Whether the reading is paused.
        is_pending: Whether the new address waits for its proof.
        is_pinned: Whether it stands at the top.
        is_popular: Whether the book is on the list because it is popular, not because it rises.
        is_private: Whether its reader keeps it private: then nothing else is told.
        is_reached: Whether all of it is read.
        is_read: Whether you have read it.
        is_ready: Whether this part works.
        is_recommended: Whether you recommended the book.
        is_remembered: Whether the search is kept among your last ones.
        is_revealed: Whether you revealed it.
        is_review_gated: Whether the review gives away more than you have read.
        is_seen: Whether you have seen it in the list.
        is_truncated: Whether the text was cut.
        is_undone: Whether it was taken back.
        is_unread: Whether you have not read it.
        is_veiled: Whether a part of the text is left out, because it gives something away.
        is_verified: Whether the e-mail address is proven.
        isbn: An ISBN with 10 or 13 digits.
        isbn10: The ISBN with 10 digits; null where there is none.
        isbn13: The ISBN with 13 digits; null where there is none.
        isbns: The ISBNs with 13 digits.
        item_count: How many items the note has.
        item_id: The one item to share; null shares the whole note.
        items: What is on this page, in order.
        joined_at: When the reader joined; null while they are only invited.
        joining: How one joins: by oneself, by asking, or by invitation.
        kept_folder_count: How many folders stand where the folder stood.
        kept_note_count: How many notes stand where the folder stood.
        key: The number or word by which the source knows it.
        kind: What it is.
        label: What its owner calls it.
        language: The language, such as `en`.
        large: A large picture.
        last_message: The last message; null where there is none that you may see.
        last_seq: The number of the last message.
        last_used_at: When it was last used.
        layout: Counts the times that its pages were laid out; addresses of pages name it as `v`.
        left: What is left out on the left, in thousandths of the width.
        left_off: Where you left off; null where you logged nothing.
        left_out: Why it is not on the list, with the numbers.
        """
}
