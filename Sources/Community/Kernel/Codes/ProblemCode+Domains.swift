// What the codes of the domains say.
extension ProblemCode {
    /// Catalogue.
    static let catalogue: [Meaning] = [
        Meaning(.notLibrarian, 403, "Only librarians do this", "The call needs the role of a librarian."),
        Meaning(
            .cannotUndo, 409, "This change cannot be taken back",
            "Only corrections can be taken back, and a replaced cover is gone."),
        Meaning(.alreadyUndone, 409, "The change was taken back already", "There is nothing left to take back."),
        Meaning(
            .alreadyDecided, 409, "The proposal is decided",
            "Somebody accepted, declined or withdrew the proposal before."),
        Meaning(
            .changedSince, 409, "It has changed since",
            "The field has changed since the proposal or the change was made."),
        Meaning(.importRunning, 409, "The file is being imported", "Another process is importing the same file."),
        Meaning(
            .mayExist, 409, "This book may be there already",
            "`candidates` lists books that are alike; the detail says how to add another one all the same."),
        Meaning(
            .isbnTaken, 409, "An edition has this ISBN already",
            "The detail names the book. Where the number belongs to another edition, a librarian corrects that one first."
        ),
        Meaning(.otherBook, 409, "These are editions of two books", "Merge the books first."),
        Meaning(
            .tooManyProposals, 409, "Too many proposals are open",
            "Wait until some of your proposals are decided, or withdraw one."),
    ]

    /// Shelves, lists and places.
    static let shelves: [Meaning] = [
        Meaning(
            .libraryFull, 409, "The library is full", "The library holds as much as it may: take something out first."),
        Meaning(
            .listFull, 409, "The list is full",
            "The list holds as many books as it may, or there is no room at this place."),
        Meaning(.tooManyLists, 409, "Too many lists", "Delete a list first."),
        Meaning(.tooManyMarks, 409, "Too many books are marked", "Take a mark away first."),
        Meaning(.tooManyBookmarks, 409, "Too many bookmarks", "Delete a bookmark of the book first."),
        Meaning(.tooManyNotes, 409, "Too many notes", "Delete a note of the book first."),
        Meaning(.tooManyItems, 409, "Too many items", "Begin another note."),
        Meaning(.tooManyThemes, 409, "Too many themes", "Take a theme away first, or merge two."),
        Meaning(.themeExists, 409, "There is a theme of that name", "Use that theme, or merge the two."),
        Meaning(.tooManyFolders, 409, "Too many folders", "Delete a folder of the book first."),
        Meaning(.foldersTooDeep, 409, "Folders are nested too deep", "Put the folder into one that is less deep."),
        Meaning(.noteIsPrivate, 409, "The note is private", "Give the note a level that friends see, then send it."),
        Meaning(
            .noteGated, 403, "The note lies ahead of you",
            "Read on to the position that the detail names, or reveal the book."),
        Meaning(
            .positionBehind, 409, "You are further in this book on another device",
            "`positions` has the position that was sent and the one that is there."),
        Meaning(.readingOpen, 409, "The reading is not over", "Move the book to another shelf instead."),
        Meaning(.stillRead, 409, "The book stands on the shelf of read books", "Move the book to another shelf first."),
        Meaning(
            .sortIsPrivate, 403, "The order would tell too much",
            "The list is not sorted by what its reader keeps private."),
    ]

    /// Libraries and loans.
    static let lending: [Meaning] = [
        Meaning(
            .notContributor, 403, "Only contributors do this",
            "The call is for contributors and owners of the library."),
        Meaning(.notOwner, 403, "Only owners do this", "The call is for owners of the library."),
        Meaning(.allOut, 409, "Every copy is out", "Wait until a copy of the book is returned."),
        Meaning(.alreadyOut, 409, "It was handed over already", "The copy is out on this loan."),
        Meaning(.alreadyMember, 409, "The reader is a member already", "There is nobody to invite."),
        Meaning(.copiesOut, 409, "Some copies are out", "Have the copies of the library returned first."),
        Meaning(.copyOut, 409, "The copy is out", "Have the copy returned first."),
        Meaning(.lenderDecides, 409, "The lender decides", "Ask the lender for more time."),
        Meaning(.loanOver, 409, "The loan is over", "The loan was ended before, or its copy is gone."),
        Meaning(.neverDue, 409, "This is never due", "What is never due is not renewed."),
        Meaning(.notOut, 409, "It was not handed over", "Only what is out can be returned."),
        Meaning(
            .permanent, 409, "Your own library stays", "A reader's own library is not left, given away or deleted."),
        Meaning(.yourOwn, 409, "The copy is yours", "Nobody borrows their own copy."),
        Meaning(.tooManyCheckouts, 409, "Too many books are out", "Return a book first."),
        Meaning(.tooManyLibraries, 409, "Too many libraries", "Leave a library first."),
        Meaning(.tooManyLoans, 409, "Too many questions are open", "Withdraw a question first."),
        Meaning(.tooManyRenewals, 409, "It was renewed too often", "Return the copy first."),
    ]

    /// Boards, reviews and groups.
    static let talk: [Meaning] = [
        Meaning(.notAuthor, 403, "It is not yours", "Only its author changes this."),
        Meaning(.notModerator, 403, "Only moderators do this", "The call needs the role of a moderator."),
        Meaning(.notAMember, 403, "Only members do this", "The call is for members of the group or library."),
        Meaning(
            .notThereYet, 403, "You are not that far in the book",
            "Only readers past that point of the book can say so."),
        Meaning(.ownThing, 403, "It is your own", "Nobody does this to what they said themselves."),
        Meaning(.postGated, 403, "The post lies ahead of you", "Read on, or reveal the post first."),
        Meaning(.reviewGated, 403, "The review gives the end away", "Finish the book, or reveal the review first."),
        Meaning(.threadLocked, 403, "The thread is locked", "Nothing is written in a locked thread."),
        Meaning(
            .banned, 403, "You are banned from the group", "A banned reader comes back when an owner invites them."),
        Meaning(
            .roleTooLow, 403, "Your role is too low", "The call needs a higher role, or one above the other reader's."),
        Meaning(
            .duplicatePost, 409, "You said the same a moment ago",
            "The same words stand on the board from a few minutes ago."),
        Meaning(.noBook, 409, "It is about no book", "A thread without a book gives nothing away."),
        Meaning(.postDeleted, 409, "The post is no more", "A deleted post is not changed."),
        Meaning(.reviewDeleted, 409, "The review is no more", "A deleted review gets no reactions."),
        Meaning(.tooManyPins, 409, "Too many pinned threads", "Unpin a thread of the board first."),
        Meaning(.tooManyModerators, 409, "Too many moderators", "The board has as many moderators as it may have."),
        Meaning(.tooManyReveals, 409, "Too many reveals", "Take a reveal back first."),
        Meaning(.groupFull, 409, "The group is full", "The group has as many members as it may have."),
        Meaning(.tooManyGroups, 409, "Too many groups", "Leave or delete a group first."),
        Meaning(
            .tooManyLeaders, 409, "Too many owners and moderators",
            "The group has as many owners and moderators as it may have."),
    ]

    /// Moderation.
    static let moderation: [Meaning] = [
        Meaning(.own, 403, "The case is about you", "Another moderator decides it."),
        Meaning(.alreadyReported, 409, "You have reported this", "Your reports say what becomes of it."),
        Meaning(.cancelled, 409, "The act is cancelled", "Make a new list."),
        Meaning(.cannotBeUndone, 409, "Nothing takes this back", "This kind of act is final."),
        Meaning(.changed, 409, "It has changed", "The case or the thing is not as it was shown: look again."),
        Meaning(.claimed, 409, "Somebody looks at the case", "Another moderator has claimed the case for a while."),
        Meaning(.decided, 409, "The case is decided", "Reopen the case first."),
        Meaning(.expired, 409, "The act would have ended already", "Make a new list."),
        Meaning(.grew, 409, "More things fit by now", "Look at the list again."),
        Meaning(.open, 409, "The case is open already", "There is nothing to reopen."),
        Meaning(.running, 409, "The act goes on", "Cancel the act first."),
        Meaning(.undone, 409, "The act is undone already", "Nothing of the act is left to undo."),
    ]

    /// Pictures.
    static let pictures: [Meaning] = [
        Meaning(.pictureQuota, 409, "There is no room for more of your pictures", "Delete a picture first."),
        Meaning(.pictureDamaged, 422, "The picture is damaged", "The file cannot be decoded to its end."),
        Meaning(
            .pictureShape, 422, "The picture is too small, too long or too thin",
            "The sides of the picture are out of range."),
        Meaning(
            .pictureTooCostly, 422, "The picture takes too much time or memory", "Send a simpler file of the picture."),
        Meaning(.pictureTooLarge, 422, "The picture has too many pixels", "Send a smaller picture."),
        Meaning(
            .picturesOff, 501, "This server takes no pictures", "The program that converts pictures is not installed."),
        Meaning(
            .noRoom, 507, "This server has no room for pictures now",
            "The disk is nearly full: `Retry-After` says when to try again."),
    ]

    /// E-books.
    static let ebooks: [Meaning] = [
        Meaning(
            .ebookDamaged, 422, "The file is no e-book that can be read",
            "The file is damaged, or neither an EPUB nor plain text in UTF-8; the detail says what is wrong."),
        Meaning(
            .ebookLocked, 422, "The e-book is locked",
            "The file is protected by DRM or by a password, and cannot be read here."),
        Meaning(
            .ebookTooLarge, 422, "The e-book is too large",
            "Reading the file takes more time or memory than an e-book may; the detail says what is too large."),
        Meaning(.ebookQuota, 409, "There is no room for more of your e-books", "Delete an e-book first."),
        Meaning(
            .ebooksOff, 501, "This server takes no e-books", "The program that reads e-books is not installed."),
        Meaning(
            .pageMoved, 410, "The page stands elsewhere now",
            "The pages were laid out anew: `page` is the one that has the same place."),
        Meaning(
            .notOnLoan, 403, "The e-book is for those who borrowed it",
            "Check a copy out of the server's library first."),
        Meaning(
            .notOffline, 403, "A borrowed e-book is read here only",
            "Its pages are in no archive. Turn them while the loan lasts."),
        Meaning(.loanEnded, 403, "The loan has ended", "The copy is returned or due: check it out again."),
    ]

    /// Checks of the process itself.
    static let checks: [Meaning] = [
        Meaning(.schema, 409, "The schema is another one", "The database has not the tables that this program needs."),
        Meaning(.readOnly, 409, "The database is read-only", "The database takes no writes now."),
    ]
}
