// The sentences of properties whose names begin with L to Z.
extension Sentences {
    static let second = """
        library: The library.
        library_id: The library's id.
        limits: The bounds of this server, by name.
        link_domain: The host that a link in the text names.
        links: Addresses to go on to.
        list: The list.
        loan_days: For how many days a copy is lent.
        location: The parameter that is at fault.
        locked: Fields that only librarians change.
        locked_at: When it was locked; null while it is open.
        logged_at: When it was logged.
        login: The username or the e-mail address.
        long_ago: How many acts were too long ago to count.
        longest: The book with most pages; null where no pages are known.
        made_at: When it was made.
        mail: Whether a mail tells it too.
        marked_at: When it was marked.
        match: The word that was found, as it stands there.
        maximum: The most that is allowed.
        me: Your account.
        meant: Which of two positions is meant.
        median_hours: In how many hours half of the cases were decided; null where none was.
        medium: A picture of medium size.
        member_count: How many members there are.
        members: How many members there are.
        message: What happened, in words.
        message_count: How many messages you have not read.
        message_id: The message.
        messages: Messages.
        method: The method of the call.
        minimum: The least that is allowed; null where there is no bound.
        minutes: How long the edition runs; null where it is not known or nothing runs.
        moderators: The readers who moderate the board.
        month: The month, from 1 to 12.
        monthless_count: Finished readings of the year whose month nobody said.
        months: The twelve months of the year.
        moved: By how many places the book moved since the last list; null where it is new.
        moved_at: When the book came to the shelf.
        muted_at: When you muted it.
        my_lists: Your lists that hold the book, the newest first.
        my_photos: Your photographs of the book; null where you are not signed in.
        my_rating: Your rating of the book; null where you gave none.
        my_reactions: Your reactions.
        name: The name.
        network: From which network the session was opened, in short form.
        new_password: The new password.
        new_password_confirmation: The new password once more.
        newest: The newest, at most six.
        next: What comes next.
        next_cursor: The cursor of the next page; null where nothing lies beyond.
        not_new: How many acts were no first ones.
        note: What its owner noted about it; null where there is nothing.
        note_count: How many notes there are.
        note_id: The note; null where it is in none.
        notes: What is good to know; empty unless asked for.
        notice: A note of the moderators; null where there is none.
        notification_count: How many notifications you have not read.
        notifications: Notifications.
        number: Its number, counted from 1.
        of: How many there are in all.
        oldest_open: When the oldest open case was opened; null where none is open.
        oldest_opened_at: When the oldest open case was opened; null where none is open.
        open: How many are open.
        opened_at: When it was opened.
        operation: The work in the background; null where there is none.
        out: Who has the copy and until when; null where it is at its place.
        out_at: When the copy was handed over.
        outcome: What came of it.
        own_reactions: Your reactions.
        pace: How fast the reader read.
        page: The page.
        page_count: How many pages the copy or edition has; null where that is not known.
        pages: How many pages the edition has; null where it is not known.
        pages_per_day: Pages for each day of the year that is over; null where none is.
        parent_id: The post that it answers; null for the first one.
        password: The password.
        password_confirmation: The password once more.
        path: The path of the link, below the server's address.
        paused: How many readings are paused.
        pdf: Whether there is a PDF: never.
        pending: The new address that is not proven yet; null where there is none.
        percent: How far it is in the book, from 0 to 100.
        photo: The photograph; null where you may not see it.
        photo_count: How many photographs there are.
        photo_id: A photograph of yours, of the same book.
        picture: The picture; null where there is none.
        pinned: The threads that stand at the top.
        place: The place on the list, counted from 1.
        pointer: Where the fault is: a JSON pointer into the body, or `?name` for a parameter.
        position: Where it is, in ten-thousandths of the book or counted in its row.
        positions: The position that was sent and the one that is there.
        post: The post.
        post_count: How many posts there are.
        post_id: The post's id; null where it is about none.
        posted_at: When it was posted.
        posts: How many posts there are.
        prev: The number of the frame before this one on the topic.
        prev_cursor: The cursor of the page before; null where nothing lies before.
        previous: What comes before.
        printed_page: The page of the printed edition; null where the file names none.
        priority: How urgent the case is: higher is sooner.
        privacy: Who sees what, by kind.
        progress: How far the reader is.
        proposal_id: The proposal that was made; null where the change was made at once.
        public: What everybody may read about the reason; null where that is nothing.
        published: When the edition was published: a year, a month or a day.
        publisher: The publisher.
        query: What was searched for, or what is chosen.
        quote: What the text quotes.
        quoted_id: The post that it quotes; null where it quotes none.
        rating: The rating in stars, in steps of a quarter; null where there is none.
        ratings: What the books of the year are rated by their reader.
        reached_at: When the server found that all of it is read; null where it is not.
        reaction_count: How many reactions there are.
        reactions: How many reactions there are, by name.
        read: How many books are on the shelf of read ones.
        read_count: How often the reader has read the book.
        read_receipts: Whether others see what you have read.
        read_seq: The number of the last message that you have read.
        reader: The reader.
        reader_count: How many readers have the book on a shelf, want it left out.
        readers: The readers, or how many there are.
        reading: How many books are being read.
        reading_count: Finished readings; a second reading of a book counts, too.
        readings: The readings of the book, the last first.
        reason: Why.
        recommend_count: How many readers recommend the book.
        recommendation_count: How many readers recommend the book.
        recommended: Whether you recommended the book.
        recommender_count: How many of your friends recommend it; null where it is for another reason.
        recommends: How many readers recommend the book.
        recovered: Whether everything since the wanted place comes.
        refused: How many were refused.
        refused_count: How many were refused.
        registration: Who may sign up: everybody, readers with an invitation, or nobody.
        rel: What the link is for.
        relation: What the reader is to you.
        renewal_count: How often the loan was renewed.
        renewals: How often the loan was renewed.
        replay: How many events come from the log before live ones.
        replies: How many answers there are.
        reply: The answer.
        reply_count: How many answers there are.
        reply_to: The message that it answers; null where it answers none.
        report: The report or case that it belongs to; null where there is none.
        report_count: How many reports there are.
        reporter: Who reported it.
        reporter_count: How many readers reported it.
        reporters: How many readers reported it.
        reports: Reports.
        request_id: The id of the call, as in `X-Request-Id`.
        requested_at: When it was asked for.
        retry_ms: Milliseconds to wait before coming back.
        returned_at: When the copy came back; null while it is out.
        revealed_at: When you revealed it.
        review: The review.
        review_count: How many reviews there are.
        review_gated: Whether the review gives away more than you have read.
        review_id: The review's id; null where there is none.
        revision_id: The revision that was made; null where nothing was changed yet.
        rights: By what right it is here, as it was said at its upload.
        role: The role.
        rotate: Degrees by which the picture is turned to the right: 0, 90, 180 or 270.
        rules: The rules of this server, one a line.
        said: What is said publicly about the reason.
        saleability: Always that the book is not for sale.
        same: How many were so already.
        same_count: How many were so already.
        scope: How much of the book the text gives away.
        scope_reason: Why the text got its scope.
        scopes: What the token may do.
        score: The number by which the list is sorted.
        searched_at: When it was last searched for.
        seen: The version of the position that the device last saw.
        sender_id: The author's id.
        seq: The number, counted up without a hole.
        series: The series, with the place of the book in it.
        session_count: How many sessions are open.
        sessions: Sessions.
        set_at: When it was set.
        settings: Your settings.
        shelf: The shelf that the book stands on; null where it stands on none.
        shelves: How many books there are on each shelf, or readers with the book on it.
        shortest: The book with fewest pages; null where no pages are known.
        showing_results_for: The words that were searched for in place of yours; null where yours were.
        since: Since when.
        size: The size in bytes.
        slow: The share of the last days in the score.
        slug: The name in addresses.
        small: A small picture.
        source: Where it comes from.
        spoilers: Whether the text gives the story away.
        started: When the reading began: a year, a month or a day; null where it is not known.
        started_at: When it began.
        state: How it stands.
        statistics: What the year was; null where they are not for you.
        status: How it stands.
        stopped: How many readings were given up.
        stopped_count: Readings that were given up in the year.
        stream_cursor: Where the stream goes on after what is shown here.
        subject: What it is about.
        subjects: The subjects.
        subtitle: The subtitle; null where there is none.
        target: What it is done to or about.
        target_count: How many things it is done to.
        targets: What it is done to, each by kind and id.
        text: The text.
        their_read_seq: The number of the last message that the other reader has read; null where they do not tell.
        theme_count: How many themes there are.
        theme_ids: Themes of the book by their ids.
        theme_names: Names of themes; a missing theme is made.
        themes: What it is about, in the words of its reader; null for others.
        thread: The thread.
        thread_count: How many threads there are.
        thread_id: The thread's id.
        through: The id of the last one that is meant; those that stand after it in the list are meant too.
        thumbnail: A small picture.
        ticket: What opens the stream, once, in its address; it is told now and never again.
        time_zone: The reader's time zone, such as `Europe/Berlin`.
        timed_count: Finished readings of which the first and the last day are known.
        times_read: How often the reader has read the book.
        title: The title.
        token: The token: keep it secret.
        token_count: How many tokens there are.
        too_many: How many acts were more than one reader counts for.
        top: What is left out above, in thousandths of the height.
        top_books: The books of the list that are rated best.
        topic: The topic.
        topics: The kinds of topics that there are.
        total: How many there are in all.
        total_count: How many there are in all.
        trust: How much the reports of this reader weigh.
        type: What it is.
        uncounted: How many acts were left out of the count.
        undated_count: Finished readings without a date of which the server heard in the year; they are counted nowhere else.
        undoes: The act or revision that it takes back; null where it takes back none.
        undone: Whether it was taken back.
        undone_at: When it was taken back; null while it holds.
        undone_by: The act that took it back; null while it holds.
        unit: What is counted.
        unit_count: The weight of the day's acts.
        units: The weight of the day's acts.
        unpaged_count: Finished readings of books whose pages are not known.
        unread: How many you have not read.
        unread_count: How many you have not read.
        until: Until when; null where there is no end.
        upto: How far it gives the book away, in ten-thousandths.
        url: The address.
        username: The username.
        usual: How much the book usually moves.
        usual_count: How much the book usually moves.
        v: The version of the protocol.
        verb: What is to be done.
        version: The version, counted up with each change.
        viewability: Always that no pages can be shown.
        violated-policies: The limits that were reached.
        visibility: Who sees it.
        visibility_is_own: Whether it has a level of its own.
        waiting: How many accounts wait for approval.
        waiting_count: How many accounts wait for approval.
        want: How many books are wanted.
        want_count: How many readers want the book.
        watching: Whether you follow it, mute it, or neither.
        why: Why it is here.
        width: The width in pixels.
        widths: The addresses of the picture by width in pixels.
        window: The time that the list is about.
        words: The words in the picture.
        writer_count: How many readers wrote there.
        writers: How many readers wrote there.
        writing: How its lines run: `horizontal` or `vertical`.
        year: The year of the first publication; null where it is not known.
        years: All years in which the reader finished something, the latest first.
        """
}
