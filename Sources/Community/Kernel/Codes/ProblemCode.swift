/// Why a call failed: the `code` of a problem. Stable, and the same for HTTP, the stream and the command line.
///
/// What each one means stands in `ProblemCode+Meaning.swift`; `GET /problems` shows it, and `openapi.json` lists the names.
package enum ProblemCode: String, CaseIterable, Sendable, Codable, CustomStringConvertible {
    // Answers of the server itself.
    case unauthenticated
    case wrongCredentials = "wrong_credentials"
    case sessionRequired = "session_required"
    case insufficientScope = "insufficient_scope"
    case hostNotAllowed = "host_not_allowed"
    case originNotAllowed = "origin_not_allowed"
    case formExpired = "form_expired"
    case ticketSpent = "ticket_spent"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case tooSlow = "too_slow"
    case preconditionFailed = "precondition_failed"
    case payloadTooLarge = "payload_too_large"
    case unsupportedMediaType = "unsupported_media_type"
    case misdirected
    case validation
    case unknownField = "unknown_field"
    case unknownParameter = "unknown_parameter"
    case upgradeRequired = "upgrade_required"
    case quotaExceeded = "quota_exceeded"
    case badRequest = "bad_request"
    case addressTooLong = "address_too_long"
    case headersTooLong = "headers_too_long"
    case versionUnknown = "version_unknown"
    case clientClosed = "client_closed"
    case `internal`
    case busy
    case unavailable
    case invalidCursor = "invalid_cursor"
    case invalidJson = "invalid_json"
    case incompleteBody = "incomplete_body"
    case badHandshake = "bad_handshake"
    case invalidIdempotencyKey = "invalid_idempotency_key"
    case idempotencyInProgress = "idempotency_in_progress"
    case idempotencyUnreadable = "idempotency_unreadable"
    case idempotencyGone = "idempotency_gone"
    case idempotencyMismatch = "idempotency_mismatch"
    // Accounts.
    case accountFrozen = "account_frozen"
    case accountLimited = "account_limited"
    case accountNew = "account_new"
    case accountSuspended = "account_suspended"
    case awaitingApproval = "awaiting_approval"
    case emailUnverified = "email_unverified"
    case registrationClosed = "registration_closed"
    case invitationNeeded = "invitation_needed"
    case alreadyApproved = "already_approved"
    case alreadySuspended = "already_suspended"
    case alreadyLimited = "already_limited"
    case alreadyFrozen = "already_frozen"
    case alreadyActive = "already_active"
    case notSuspended = "not_suspended"
    case suspended
    case lastOwner = "last_owner"
    case noMail = "no_mail"
    case renamedLately = "renamed_lately"
    case tooManyTokens = "too_many_tokens"
    case exportFailed = "export_failed"
    case notReady = "not_ready"
    // Readers among each other.
    case notFriends = "not_friends"
    case alreadyFriends = "already_friends"
    case inboxFull = "inbox_full"
    case tooManyFriends = "too_many_friends"
    case tooManyRequests = "too_many_requests"
    case tooManyOpenRequests = "too_many_open_requests"
    case tooManyDismissals = "too_many_dismissals"
    case tooManyBlocks = "too_many_blocks"
    case tooManyMutes = "too_many_mutes"
    case tooManyFollows = "too_many_follows"
    case tooManyWatched = "too_many_watched"
    case notSender = "not_sender"
    case messageDeleted = "message_deleted"
    // Catalogue.
    case notLibrarian = "not_librarian"
    case cannotUndo = "cannot_undo"
    case alreadyUndone = "already_undone"
    case alreadyDecided = "already_decided"
    case changedSince = "changed_since"
    case importRunning = "import_running"
    case mayExist = "may_exist"
    case isbnTaken = "isbn_taken"
    case otherBook = "other_book"
    case tooManyProposals = "too_many_proposals"
    // Shelves, lists and places.
    case libraryFull = "library_full"
    case listFull = "list_full"
    case tooManyLists = "too_many_lists"
    case tooManyMarks = "too_many_marks"
    case tooManyBookmarks = "too_many_bookmarks"
    case tooManyNotes = "too_many_notes"
    case tooManyItems = "too_many_items"
    case tooManyThemes = "too_many_themes"
    case themeExists = "theme_exists"
    case tooManyFolders = "too_many_folders"
    case foldersTooDeep = "folders_too_deep"
    case noteGated = "note_gated"
    case noteIsPrivate = "note_is_private"
    case positionBehind = "position_behind"
    case readingOpen = "reading_open"
    case stillRead = "still_read"
    case sortIsPrivate = "sort_is_private"
    // Libraries and loans.
    case notContributor = "not_contributor"
    case notOwner = "not_owner"
    case allOut = "all_out"
    case alreadyOut = "already_out"
    case alreadyMember = "already_member"
    case copiesOut = "copies_out"
    case copyOut = "copy_out"
    case lenderDecides = "lender_decides"
    case loanOver = "loan_over"
    case neverDue = "never_due"
    case notOut = "not_out"
    case permanent
    case yourOwn = "your_own"
    case tooManyCheckouts = "too_many_checkouts"
    case tooManyLibraries = "too_many_libraries"
    case tooManyLoans = "too_many_loans"
    case tooManyRenewals = "too_many_renewals"
    // Boards, reviews and groups.
    case notAuthor = "not_author"
    case notModerator = "not_moderator"
    case notAMember = "not_a_member"
    case notThereYet = "not_there_yet"
    case ownThing = "own_thing"
    case postGated = "post_gated"
    case reviewGated = "review_gated"
    case threadLocked = "thread_locked"
    case banned
    case roleTooLow = "role_too_low"
    case duplicatePost = "duplicate_post"
    case noBook = "no_book"
    case postDeleted = "post_deleted"
    case reviewDeleted = "review_deleted"
    case tooManyPins = "too_many_pins"
    case tooManyModerators = "too_many_moderators"
    case tooManyReveals = "too_many_reveals"
    case groupFull = "group_full"
    case tooManyGroups = "too_many_groups"
    case tooManyLeaders = "too_many_leaders"
    // Moderation.
    case own
    case alreadyReported = "already_reported"
    case cancelled
    case cannotBeUndone = "cannot_be_undone"
    case changed
    case claimed
    case decided
    case expired
    case grew
    case open
    case running
    case undone
    // Pictures.
    case pictureQuota = "picture_quota"
    case pictureDamaged = "picture_damaged"
    case pictureShape = "picture_shape"
    case pictureTooCostly = "picture_too_costly"
    case pictureTooLarge = "picture_too_large"
    case picturesOff = "pictures_off"
    case noRoom = "no_room"
    // E-books.
    case ebookDamaged = "ebook_damaged"
    case ebookLocked = "ebook_locked"
    case ebookTooLarge = "ebook_too_large"
    case ebookQuota = "ebook_quota"
    case ebooksOff = "ebooks_off"
    case pageMoved = "page_moved"
    case notOnLoan = "not_on_loan"
    case loanEnded = "loan_ended"
    case notOffline = "not_offline"
    // Checks of the process itself.
    case schema
    case readOnly = "read_only"

    package var description: String { rawValue }
}
