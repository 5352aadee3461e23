/// One sentence for each property and each parameter of a path, by name. Where a name means another thing in one schema, a line with the
/// schema's name before it wins: `Problem.code`.
enum Sentences {
    /// `nil` where nobody has written one; a test fails then.
    static func of(property name: String, in schema: String) -> String? {
        Including.sentence(of: name, in: schema) ?? properties[schema + "." + name] ?? patterned(name, in: schema)
            ?? properties[name]
    }

    /// Of names that are values: a width, a kind of notifications, a kind of what readers show.
    private static func patterned(_ name: String, in schema: String) -> String? {
        if name == "state", shown.contains(schema) {
            return "`shown`; `gated` stands in the place of what lies ahead of you, `deleted` in that of what is gone."
        }
        if Int(name) != nil { return "The address of the picture in this width, in pixels." }
        if schema.hasSuffix("NotificationSettings"), name.contains(".") { return "How you hear of `\(name)`." }
        if schema.hasSuffix("Privacy") { return "Who sees your \(name)." }
        return nil
    }

    static func of(pathParameter name: String) -> String? { parameters[name] }

    /// What has a placeholder in its place where it may not be seen yet.
    private static let shown: Set = [
        "Post", "DeletedPost", "Gated", "Thread", "OpenThread", "PostText", "Review", "GatedReview", "ReviewReply",
        "Photo", "GatedPhoto", "Note", "NoteSummary", "GatedNote",
        "ReviewText", "NotificationThread", "NotificationPost", "NotificationReview", "NotificationReviewReply",
    ]

    private static let properties = read(overrides + "\n" + first + "\n" + second)
    private static let parameters = read(inPaths)

    private static func read(_ lines: String) -> [String: String] {
        var sentences: [String: String] = [:]
        for line in lines.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1)
            if parts.count == 2 { sentences[String(parts[0])] = String(parts[1]) }
        }
        return sentences
    }

    private static let overrides = """
        EbookPage.page: The number of the page, counted from 1.
        EbookPage.page_count: How many pages there are in this layout.
        EbookPage.chapter: The part of the file that the page belongs to.
        EbookPage.position: Where the page ends, in ten-thousandths of the book.
        EbookPage.html: The page as safe HTML, with addresses of this server.
        EbookPage.text: The words of the page; empty where it has pictures alone.
        EbookPage.previous: The address of the page before; null on the first.
        EbookPage.next: The address of the next page; null on the last.
        EbookChapter.number: Counted from 0.
        EbookChapter.title: As the table of contents has it; null where that names none.
        EbookHeading.depth: How deep it stands; 0 at the top.
        EbookHeading.page: The page that it leads to.
        Statistics.year: The year, by the reader's own calendar.
        Statistics.time_zone: By which years and months begin for the reader.
        Statistics.book_count: Books that were finished in the year, each once.
        Statistics.page_count: Pages of the finished readings of the year, as far as they are known.
        Statistics.languages: In which languages the reader read, that of most readings first.
        Statistics.authors: Whose books the reader read, the author of most of them first: at most ten.
        Statistics.genres: Of which genres the books were, that of most of them first: at most ten.
        StatisticsMonth.page_count: Pages of those.
        StatisticsRatings.count: Books of the year that the reader has rated.
        StatisticsRatings.average: The average of those ratings; null where there are none.
        StatisticsBook.page_count: How many pages it has.
        StatisticsAuthor.book_count: How many of the author's books were finished in the year.
        StatisticsGenre.book_count: How many books of the genre were finished in the year.
        StatisticsYear.year: A year in which something was finished.
        StatisticsLanguage.language: The language, as BCP 47 writes it.
        Goal.year: The year, by your own calendar.
        Goal.books: The finished readings that you set out; null where you set none.
        Goal.pages: The pages of finished readings that you set out; null where you set none.
        Goal.list: Your list whose books you set out to read; null where you set none.
        GoalList.id: The id of the list.
        GoalList.title: The title of the list.
        GoalProgress.target_count: How many were set out.
        GoalProgress.done_count: How many are read.
        GoalProgress.expected_count: How many would be on pace today; null where the year does not last.
        GoalProgress.ahead_count: How many more than on pace, negative where you are behind; null where the year does not last.
        NewGoal.books: So many finished readings; a second reading of a book counts, too.
        NewGoal.pages: So many pages of finished readings.
        NewGoal.list_id: A list of yours: each of its books is to be finished once, in whatever year.
        SimilarTasteReason.book_count: Books that you both rated and show to members.
        SimilarTasteReason.alike_count: How many of those you rated within a star of each other.
        SimilarTasteReason.books: Those that you both like best.
        FeedItem.goal: The goal that its reader reached; null where it is about a book.
        Notification.goal: Your goal that was reached; null where it tells of something else.
        NotificationGoal.year: The year of the goal.
        EbookHit.chapter: The title of its chapter; null where it has none.
        EbookHit.position: Where the page ends, in ten-thousandths of the book.
        EbookHit.before: Words that stand before the match.
        EbookHit.after: Words that stand behind the match.
        EbookMargin.post_count: Posts that give away what this page tells and no more.
        OpenedBook.opened_at: Why it opens at this page.
        OpenedBook.bookmark: The bookmark that you set last in the book; null where you were elsewhere since.
        OpenedBook.place: Where you left off in the book; null where nothing was logged.
        OpenedBook.ebook: The e-book that is opened.
        OpenedBook.page: The page that it opens at.
        Ebook.access: What it takes for you to turn its pages.
        OpenedEbook.access: What it takes for you to turn its pages.
        Ebook.cover: The address of its cover; null where it has none.
        OpenedEbook.cover: The address of its cover; null where it has none.
        Ebook.language: The language as the file says it; null where it says none.
        OpenedEbook.language: The language as the file says it; null where it says none.
        Ebook.page_count: How many pages there are in this layout.
        OpenedEbook.page_count: How many pages there are in this layout.
        Bootstrap.library: Books that you own, have borrowed or have bookmarks in, by title.
        MyBook.due_at: When the first of your copies is to come back; null where none is due.
        NoteSummary.place: Where in the book it belongs; null where nobody said.
        Note.place: Where in the book it belongs; null where nobody said.
        NoteQuote.place: Where in the book it belongs; null where nobody said.
        NewNote.place: Where in the book it belongs; null where nobody said.
        NoteChange.place: Where in the book it belongs; null where nobody said.
        NewNoteItem.place: Where in the book it belongs; null where nobody said.
        NewNotePart.place: Where in the book it belongs; null where nobody said.
        NoteItemChange.place: Where in the book it belongs; null where nobody said.
        NotebookHit.place: Where in the book it belongs; null where nobody said.
        NotebookFileNote.place: Where in the book it belongs; null where nobody said.
        NotebookFileItem.place: Where in the book it belongs; null where nobody said.
        MessageNoteCard.note: The note; null where you may not see it.
        Notebook.notes: Your notes about the book that stand in no folder, newest first.
        NotebookScreen.notes: Your notes about the book that stand in no folder, newest first.
        Notebook.themes: Your themes for the book, by name.
        NotebookScreen.themes: Your themes for the book, by name.
        RemovedPhoto.notes: The notes that it stood in, as they are now.
        NotebookFile.format: What says that the file is ours.
        NoteFolder.parent_id: The folder that holds this one; null for none.
        NewNoteFolder.parent_id: The folder that is to hold it; null for none.
        NoteFolderChange.parent_id: The folder that is to hold it; null for none.
        NotebookFileFolder.parent_id: What the file calls the folder that holds this one; null for none.
        NoteText.body: The text as Markdown.
        NoteQuote.body: The book's own words, as plain text.
        NotebookFile.exported_at: When the file was written.
        NotebookImport.known_note_count: Notes that were there already.
        NotebookImport.unmatched_count: How many books and photographs of the file are not here.
        NotebookImport.unmatched: The first of those, 200 at most.
        NotebookFileBook.notes: The notes about the book, oldest first.
        NotebookFileBook.themes: The themes for the book, by name.
        NotebookFileNote.themes: The names of its themes.
        NotebookFileNote.items: Its texts, quotes and photographs, in order.
        NotebookFileNote.scope: How much of the book it gives away, in ten-thousandths; null where its places say so, else all of it.
        Note.items: Its texts, quotes and photographs, in order.
        NewNote.items: Its texts, quotes and photographs, in order.
        Problem.code: Why the call failed; stable.
        Problem.title: What the code means, in a few words.
        Problem.status: The HTTP status once more.
        Problem.type: The address of a page that explains the code.
        Problem.detail: What happened this time, in words for people; null where there is nothing to add.
        Problem.reason: Why the account is suspended; only with `account_suspended`.
        Problem.until: Until when the account is suspended; null where there is no end.
        Fault.code: What is wrong; stable.
        Step.page_count: How many pages your copy has.
        NewBookmark.page_count: How many pages your copy has.
        Server.name: What the owner calls this server.
        StreamTicket.expires_at: When the ticket stops working, 30 seconds after it was made.
        Index.name: What the owner calls this server.
        NewNoteItem.kind: What it is: `text` (Markdown), `quote` (words of the book) or `picture` (a photograph).
        NewNotePart.kind: What it is: `text` (Markdown), `quote` (words of the book) or `picture` (a photograph).
        OpenThread.first_post: The post that opens the thread.
        OpenThread.read_number: The number of the last post that you have read; null where you are not signed in.
        OpenThread.last_post_at: When the newest post was written.
        Thread.last_post_at: When the newest post was written.
        Photo.page: The page of its reader's copy; null where none was named.
        Photo.position: Where in the book it belongs, in ten-thousandths; null where that is not known.
        Photo.percent: Where in the book it belongs, in hundredths; null where that is not known.
        Photo.words: The words in the picture; null for everybody but its reader.
        PhotoChange.page: The page of your copy; null takes it away.
        PhotoChange.percent: How far in the book it belongs, in hundredths; null has the page say it.
        PhotoChange.words: What the words in the picture are; null has them read anew.
        Contributor.role: What they did, as a relator of MARC 21 is called; null where nobody said, which most often means author.
        AuthorPart.role: What they did, as a relator of MARC 21 is called; null where that is not known.
        ContributorPart.role: What they did, as a relator of MARC 21 is called.
        Part.role: What an author or contributor did; null of anything else.
        Proposal.action: `edit` where fields are to change, `create` where the book is to get an edition.
        Corrected.edition_id: The edition that was made; null where none was.
        PhotoCrop.width: How wide the part is that is shown, in thousandths.
        PhotoCrop.height: How high the part is that is shown, in thousandths.
        BarcodePlace.width: How wide the bars are, in thousandths of the upright picture.
        BarcodePlace.height: How high the bars are, in thousandths of the upright picture.
        ScannedIsbn.place: Where its bars lie.
        ScannedIsbn.reading: What the code is.
        RelatedBooks.made_at: As of when it is known who reads what; null where that was never worked out.
        SuggestedBooks.made_at: As of when it is known who reads what; null where that was never worked out, and of friends.
        RelatedReason.kind: `series`: the next of its series; `readers`: those who read the book read it; else what both have in common.
        RelatedReason.series: The series of which it is the next; null where it is for another reason.
        RelatedReason.author: The author of both; null where it is for another reason.
        RelatedReason.subject: What both are about; null where it is for another reason.
        RelatedReason.why: How many read both; null where it is for another reason.
        SuggestionReason.kind: `readers`: those who read `because` read it; `friends`: friends show it; else why it is to be discovered.
        SuggestionReason.why: How many read it; null where friends show it, and where many do.
        SuggestionReason.friend_count: How many of your friends recommend it, gave it four stars or more, or read it; null where it is for another reason.
        RecentSearch.query: The free text; null where the fields alone say what was looked for.
        RecentSearch.title: Words of the title; null where none were given.
        RecentSearch.author: Words of an author's names; null where none were given.
        RecentSearch.subject: Words of a subject or genre; null where none were given.
        RecentSearch.publisher: Words of a publisher's name; null where none were given.
        RecentSearch.genre: The genre, by slug or name; null where none was given.
        RecentSearch.isbn: The ISBN, as it was typed; null where none was given.
        RecentSearch.path: The call that asks it again, with its filters and its order, below `/api/v1`.
        PhotoWords.state: `waiting` to be read, `read`, `unreadable` where none were found, `corrected` by you, or `off` where this server reads none.
        """

    private static let inPaths = """
        act: The id of an act of moderators.
        author: The id of an author.
        book: The id of a book (a work, not an edition).
        bookmark: The id of a bookmark of yours.
        case: The id of a case.
        checkout: The id of a checkout.
        code: An ISBN or whatever a scanner read.
        conversation: The id of a conversation of yours.
        copy: The id of a copy.
        ebook: The id of an e-book.
        edition: The id of an edition.
        folder: The id of a folder of notes.
        genre: The slug of a genre, as in /genres.
        group: The id of a group.
        hash: The hash of the picture, with its width and type.
        invitation: The id of an invitation.
        item: The id of an item of a note.
        library: The id of a library.
        list: The id of a list.
        loan: The id of a loan.
        message: The id of a message.
        name: The name of a reaction.
        note: The id of a note.
        notification: The id of a notification.
        number: The number of a picture, counted from 0.
        operation: The id of a piece of work in the background.
        page: The number of a page, counted from 1.
        photo: The id of a photograph.
        post: The id of a post.
        problem: The code of a problem.
        proposal: The id of a proposal.
        reader: The id of a reader.
        reading: The id of a reading of yours.
        reply: The id of a reply to a review.
        request: The id of a request.
        review: The id of a review.
        revision: The id of a revision.
        search: The id of a search of yours.
        series: The id of a series.
        session: The id of a session of yours.
        shelf: The name of a shelf.
        status: The name of a shelf.
        theme: The id of a theme.
        thread: The id of a thread.
        token: The id of an access token, or the secret of a link.
        username: A username, without the @.
        volume: The id of a volume.
        width: The width in pixels.
        year: A year, of four digits.
        """
}
