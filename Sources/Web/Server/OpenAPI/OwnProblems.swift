import Community

// Made from the comments of the handlers; see `RouteProblemsTests`.
extension Route {
    /// What the handler of a call answers beside what its rules refuse, by the call's name.
    static let ownProblems: [String: [ProblemCode]] = {
        var table: [String: [ProblemCode]] = [:]
        for line in ownProblemLines.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let codes = parts[1].split(separator: " ").compactMap { ProblemCode(rawValue: String($0)) }
            table[String(parts[0]), default: []] += codes
        }
        return table
    }()

    package static let ownProblemLines = """
        DELETE /api/v1/authors/{author}/follow: account_frozen
        DELETE /api/v1/bookmarks/{bookmark}: account_frozen
        DELETE /api/v1/books/{book}/favourite: account_frozen
        DELETE /api/v1/books/{book}/follow: account_frozen
        DELETE /api/v1/books/{book}/moderators/{username}: not_moderator role_too_low too_many_moderators
        DELETE /api/v1/books/{book}/ranking-hold: not_moderator
        DELETE /api/v1/books/{book}/rating: account_frozen
        DELETE /api/v1/books/{book}/readings/{reading}: account_frozen reading_open still_read
        DELETE /api/v1/books/{book}/recommendation: account_frozen
        DELETE /api/v1/books/{book}/reveal: account_frozen
        DELETE /api/v1/books/{book}/review: precondition_failed
        DELETE /api/v1/books/{book}/shelf: account_frozen precondition_failed
        DELETE /api/v1/copies/{copy}: account_frozen copy_out not_contributor
        DELETE /api/v1/ebooks/{ebook}: account_frozen not_librarian precondition_failed
        DELETE /api/v1/editions/{edition}/cover: not_librarian
        DELETE /api/v1/folders/{folder}: account_frozen precondition_failed
        DELETE /api/v1/groups/{group}: account_frozen not_a_member role_too_low
        DELETE /api/v1/groups/{group}/bans/{username}: account_frozen not_a_member role_too_low
        DELETE /api/v1/groups/{group}/invitations/{username}: account_frozen not_a_member role_too_low
        DELETE /api/v1/groups/{group}/members/{username}: account_frozen not_a_member role_too_low validation
        DELETE /api/v1/libraries/{library}: account_frozen copies_out not_owner permanent
        DELETE /api/v1/libraries/{library}/link: not_owner
        DELETE /api/v1/libraries/{library}/members/{username}: account_frozen last_owner not_owner permanent
        DELETE /api/v1/libraries/{library}/membership: last_owner permanent
        DELETE /api/v1/lists/{list}: account_frozen precondition_failed
        DELETE /api/v1/lists/{list}/books/{book}: account_frozen precondition_failed
        DELETE /api/v1/lists/{list}/follow: account_frozen
        DELETE /api/v1/me: last_owner wrong_credentials
        DELETE /api/v1/me/friend-suggestions/{username}: too_many_dismissals
        DELETE /api/v1/me/friends/{username}: account_frozen
        DELETE /api/v1/me/goals/{year}: account_frozen
        DELETE /api/v1/me/suggestions/{book}: account_frozen too_many_dismissals
        DELETE /api/v1/messages/{message}: account_frozen not_sender
        DELETE /api/v1/moderation/acts/{act}: not_moderator role_too_low
        DELETE /api/v1/moderation/reports/{case}/claim: not_moderator
        DELETE /api/v1/notes/{note}: account_frozen precondition_failed
        DELETE /api/v1/notes/{note}/items/{item}: account_frozen precondition_failed
        DELETE /api/v1/notes/{note}/reactions/{name}: account_frozen not_a_member note_gated own_thing post_deleted
        DELETE /api/v1/notes/{note}/reactions/{name}: post_gated review_gated
        DELETE /api/v1/notes/{note}/themes/{theme}: account_frozen precondition_failed too_many_themes
        DELETE /api/v1/photos/{photo}: account_frozen
        DELETE /api/v1/posts/{post}: account_frozen not_author precondition_failed
        DELETE /api/v1/posts/{post}/hide: not_moderator
        DELETE /api/v1/posts/{post}/reactions/{name}: account_frozen not_a_member note_gated own_thing post_deleted
        DELETE /api/v1/posts/{post}/reactions/{name}: post_gated review_gated
        DELETE /api/v1/posts/{post}/reveal: account_frozen
        DELETE /api/v1/posts/{post}/spoils: account_frozen
        DELETE /api/v1/proposals/{proposal}: already_decided
        DELETE /api/v1/review-replies/{reply}: account_frozen
        DELETE /api/v1/reviews/{review}/reactions/{name}: account_frozen not_a_member note_gated own_thing
        DELETE /api/v1/reviews/{review}/reactions/{name}: post_deleted post_gated review_gated
        DELETE /api/v1/reviews/{review}/reveal: account_frozen
        DELETE /api/v1/series/{series}/follow: account_frozen
        DELETE /api/v1/themes/{theme}: account_frozen precondition_failed
        DELETE /api/v1/threads/{thread}/lock: not_moderator role_too_low too_many_pins
        DELETE /api/v1/threads/{thread}/pin: not_moderator role_too_low too_many_pins
        DELETE /api/v1/threads/{thread}/reveal: account_frozen
        GET /api/v1/boards/search: invalid_cursor
        GET /api/v1/books: invalid_cursor
        GET /api/v1/books/{book}/open: loan_ended not_on_loan
        GET /api/v1/books/{book}/ranking: not_moderator
        GET /api/v1/books/{book}/threads/search: invalid_cursor
        GET /api/v1/ebooks/{ebook}/offline: ebooks_off loan_ended no_room not_offline not_on_loan
        GET /api/v1/ebooks/{ebook}/pages: loan_ended not_on_loan page_moved
        GET /api/v1/ebooks/{ebook}/pages/{page}: loan_ended not_on_loan page_moved
        GET /api/v1/ebooks/{ebook}/pages/{page}/talk: loan_ended not_on_loan
        GET /api/v1/ebooks/{ebook}/pictures/{number}: ebooks_off loan_ended not_on_loan pictures_off
        GET /api/v1/ebooks/{ebook}/search: loan_ended not_on_loan
        GET /api/v1/ebooks/{ebook}/talk: loan_ended not_on_loan
        GET /api/v1/groups/{group}/bans: not_a_member role_too_low
        GET /api/v1/groups/{group}/members: not_a_member
        GET /api/v1/groups/{group}/moderation/log: not_a_member
        GET /api/v1/groups/{group}/requests: not_a_member role_too_low
        GET /api/v1/groups/{group}/threads: not_a_member
        GET /api/v1/me: session_required
        GET /api/v1/me/export: not_found
        GET /api/v1/me/export/archive: export_failed not_found not_ready
        GET /api/v1/me/notebook/search: invalid_cursor
        GET /api/v1/me/searches: invalid_cursor
        GET /api/v1/moderation/acts/{act}: not_moderator
        GET /api/v1/moderation/acts/{act}/targets: not_moderator
        GET /api/v1/moderation/audit: not_found not_moderator
        GET /api/v1/moderation/content: not_found not_moderator
        GET /api/v1/moderation/readers: not_moderator
        GET /api/v1/moderation/readers/{username}: not_moderator
        GET /api/v1/moderation/reports: not_moderator
        GET /api/v1/moderation/reports/{case}: not_moderator own
        GET /api/v1/moderation/stats: not_moderator
        GET /api/v1/posts/{post}/history: post_gated review_gated
        GET /api/v1/proposals: not_librarian
        GET /api/v1/readers/{username}/shelves/{shelf}: sort_is_private
        GET /api/v1/reviews/{review}/history: post_gated review_gated
        GET /api/v1/search: invalid_cursor
        GET /api/v1/shared/{token}/shelf: sort_is_private
        GET /api/v1/stream: bad_handshake origin_not_allowed ticket_spent upgrade_required
        GET /api/v1/threads/{thread}/posts/search: invalid_cursor
        PATCH /api/v1/authors/{author}: not_librarian precondition_failed too_many_proposals
        PATCH /api/v1/bookmarks/{bookmark}: account_frozen precondition_failed
        PATCH /api/v1/books/{book}: not_librarian precondition_failed too_many_proposals
        PATCH /api/v1/books/{book}/readings/{reading}: account_frozen still_read
        PATCH /api/v1/conversations/{conversation}: account_frozen
        PATCH /api/v1/copies/{copy}: account_frozen not_contributor
        PATCH /api/v1/ebooks/{ebook}: account_frozen not_librarian precondition_failed
        PATCH /api/v1/editions/{edition}: not_librarian precondition_failed too_many_proposals
        PATCH /api/v1/folders/{folder}: account_frozen folders_too_deep precondition_failed
        PATCH /api/v1/groups/{group}: not_a_member precondition_failed role_too_low
        PATCH /api/v1/groups/{group}/members/{username}: account_frozen last_owner not_a_member role_too_low
        PATCH /api/v1/groups/{group}/members/{username}: too_many_leaders
        PATCH /api/v1/libraries/{library}: account_frozen email_unverified not_owner
        PATCH /api/v1/libraries/{library}/members/{username}: account_frozen last_owner not_owner permanent
        PATCH /api/v1/lists/{list}: account_frozen precondition_failed
        PATCH /api/v1/me: account_frozen email_unverified precondition_failed renamed_lately
        PATCH /api/v1/me/settings: account_frozen email_unverified precondition_failed
        PATCH /api/v1/me/settings/gate: account_frozen
        PATCH /api/v1/messages/{message}: message_deleted not_friends not_sender precondition_failed
        PATCH /api/v1/notes/{note}: account_frozen email_unverified precondition_failed too_many_themes
        PATCH /api/v1/notes/{note}/items/{item}: account_frozen email_unverified precondition_failed
        PATCH /api/v1/photos/{photo}: account_frozen email_unverified picture_quota picture_shape picture_too_costly
        PATCH /api/v1/photos/{photo}: pictures_off precondition_failed
        PATCH /api/v1/posts/{post}: account_frozen email_unverified not_author not_moderator post_gated
        PATCH /api/v1/posts/{post}: precondition_failed role_too_low thread_locked
        PATCH /api/v1/review-replies/{reply}: account_frozen email_unverified precondition_failed review_gated
        PATCH /api/v1/themes/{theme}: account_frozen precondition_failed theme_exists
        POST /api/v1/accounts: idempotency_gone registration_closed
        POST /api/v1/authors/{author}/merge: not_librarian other_book
        POST /api/v1/books: account_limited account_new may_exist
        POST /api/v1/books/{book}/bookmarks: account_frozen too_many_bookmarks
        POST /api/v1/books/{book}/checkout: account_frozen all_out not_a_member too_many_checkouts
        POST /api/v1/books/{book}/editions: account_limited account_new isbn_taken too_many_proposals
        POST /api/v1/books/{book}/folders: account_frozen folders_too_deep too_many_folders
        POST /api/v1/books/{book}/merge: not_librarian other_book
        POST /api/v1/books/{book}/notes: account_frozen email_unverified too_many_notes too_many_themes
        POST /api/v1/books/{book}/photos: picture_damaged picture_quota picture_shape picture_too_costly
        POST /api/v1/books/{book}/photos: picture_too_large pictures_off validation
        POST /api/v1/books/{book}/renew: account_frozen lender_decides never_due too_many_renewals
        POST /api/v1/books/{book}/themes: account_frozen theme_exists too_many_themes
        POST /api/v1/books/{book}/threads: account_frozen duplicate_post email_unverified not_moderator
        POST /api/v1/checkouts/{checkout}/return: account_frozen
        POST /api/v1/conversations/{conversation}/messages: account_frozen email_unverified not_friends note_gated
        POST /api/v1/conversations/{conversation}/messages: post_gated
        POST /api/v1/copies/{copy}/loans: account_frozen email_unverified not_friends too_many_loans your_own
        POST /api/v1/editions/{edition}/merge: not_librarian other_book
        POST /api/v1/groups: account_frozen account_new email_unverified too_many_groups
        POST /api/v1/groups/{group}/requests/{username}/accept: account_frozen group_full not_a_member role_too_low
        POST /api/v1/groups/{group}/requests/{username}/accept: too_many_groups
        POST /api/v1/groups/{group}/requests/{username}/decline: account_frozen not_a_member role_too_low
        POST /api/v1/groups/{group}/threads: account_frozen duplicate_post email_unverified no_book not_a_member
        POST /api/v1/groups/{group}/threads: not_moderator
        POST /api/v1/isbn/scan: picture_damaged picture_shape picture_too_costly picture_too_large pictures_off
        POST /api/v1/libraries/{library}/copies: account_frozen email_unverified library_full not_contributor
        POST /api/v1/libraries/{library}/invitation/accept: account_frozen
        POST /api/v1/libraries/{library}/link: not_owner permanent
        POST /api/v1/libraries/{library}/members: already_member library_full not_friends not_owner permanent
        POST /api/v1/libraries/{library}/members: too_many_libraries
        POST /api/v1/loans/{loan}/accept: account_frozen already_out loan_over
        POST /api/v1/loans/{loan}/decline: account_frozen already_out loan_over
        POST /api/v1/loans/{loan}/hand-over: account_frozen copy_out loan_over too_many_checkouts
        POST /api/v1/loans/{loan}/return: not_out
        POST /api/v1/loans/{loan}/withdraw: account_frozen already_out loan_over
        POST /api/v1/me/access-tokens: too_many_tokens
        POST /api/v1/me/friend-requests: account_frozen already_friends email_unverified inbox_full not_found
        POST /api/v1/me/friend-requests: too_many_friends too_many_open_requests
        POST /api/v1/me/friend-requests/{request}/accept: account_frozen too_many_friends
        POST /api/v1/me/libraries: account_frozen email_unverified too_many_libraries
        POST /api/v1/me/lists: account_frozen email_unverified too_many_lists
        POST /api/v1/me/notebook/import: account_frozen email_unverified too_many_folders too_many_notes
        POST /api/v1/me/notebook/import: too_many_themes
        POST /api/v1/moderation/acts: grew not_found not_moderator post_deleted role_too_low suspended
        POST /api/v1/moderation/acts/{act}/start: cancelled expired not_moderator
        POST /api/v1/moderation/acts/{act}/undo: cannot_be_undone changed not_moderator post_deleted role_too_low
        POST /api/v1/moderation/acts/{act}/undo: running undone
        POST /api/v1/moderation/reports/{case}/decision: changed claimed decided not_moderator role_too_low
        POST /api/v1/moderation/reports/{case}/notes: not_moderator
        POST /api/v1/moderation/reports/{case}/reopen: changed not_moderator open role_too_low
        POST /api/v1/notes/{note}/items: account_frozen email_unverified precondition_failed too_many_items
        POST /api/v1/notes/{note}/share: account_frozen duplicate_post email_unverified not_friends note_is_private
        POST /api/v1/password-reset-requests: no_mail
        POST /api/v1/proposals/{proposal}/accept: already_decided changed_since isbn_taken not_librarian
        POST /api/v1/proposals/{proposal}/decline: already_decided not_librarian
        POST /api/v1/reports: already_reported not_found own
        POST /api/v1/reviews/{review}/replies: account_frozen duplicate_post email_unverified review_gated
        POST /api/v1/revisions/{revision}/undo: already_undone cannot_undo changed_since not_librarian
        POST /api/v1/sessions: account_suspended awaiting_approval idempotency_gone wrong_credentials
        POST /api/v1/stream/tickets: origin_not_allowed
        POST /api/v1/themes/{theme}/merge: account_frozen precondition_failed
        POST /api/v1/threads/{thread}/posts: account_frozen duplicate_post email_unverified post_gated thread_locked
        PUT /api/v1/authors/{author}/follow: account_frozen too_many_follows
        PUT /api/v1/books/{book}/board/follow: not_a_member too_many_watched
        PUT /api/v1/books/{book}/board/mute: not_a_member too_many_watched
        PUT /api/v1/books/{book}/board/read: not_a_member
        PUT /api/v1/books/{book}/favourite: account_frozen too_many_marks
        PUT /api/v1/books/{book}/follow: account_frozen too_many_follows
        PUT /api/v1/books/{book}/moderators/{username}: not_moderator role_too_low too_many_moderators
        PUT /api/v1/books/{book}/position: account_frozen library_full loan_ended not_on_loan position_behind
        PUT /api/v1/books/{book}/ranking-hold: account_frozen not_moderator
        PUT /api/v1/books/{book}/rating: precondition_failed
        PUT /api/v1/books/{book}/recommendation: account_frozen too_many_marks
        PUT /api/v1/books/{book}/reveal: account_frozen too_many_reveals
        PUT /api/v1/books/{book}/review: account_frozen email_unverified precondition_failed
        PUT /api/v1/books/{book}/shelf: account_frozen library_full precondition_failed
        PUT /api/v1/editions/{edition}/chapters: not_librarian
        PUT /api/v1/editions/{edition}/cover: not_librarian
        PUT /api/v1/editions/{edition}/ebook: ebook_damaged ebook_locked ebook_quota ebook_too_large ebooks_off
        PUT /api/v1/editions/{edition}/ebook: not_librarian validation
        PUT /api/v1/editions/{edition}/proposed-cover: account_limited account_new too_many_proposals
        PUT /api/v1/groups/{group}/bans/{username}: not_a_member role_too_low validation
        PUT /api/v1/groups/{group}/board/follow: not_a_member too_many_watched
        PUT /api/v1/groups/{group}/board/mute: not_a_member too_many_watched
        PUT /api/v1/groups/{group}/invitations/{username}: not_a_member not_friends role_too_low
        PUT /api/v1/groups/{group}/membership: account_frozen banned email_unverified group_full invitation_needed
        PUT /api/v1/groups/{group}/membership: too_many_groups too_many_requests
        PUT /api/v1/lists/{list}/books/{book}: account_frozen list_full precondition_failed
        PUT /api/v1/lists/{list}/follow: account_frozen too_many_follows
        PUT /api/v1/me/blocks/{username}: too_many_blocks validation
        PUT /api/v1/me/conversations/with/{username}: account_frozen email_unverified not_friends validation
        PUT /api/v1/me/email: wrong_credentials
        PUT /api/v1/me/genres: account_frozen
        PUT /api/v1/me/goals/{year}: account_frozen
        PUT /api/v1/me/mutes/{username}: too_many_mutes validation
        PUT /api/v1/me/notifications/read: not_found
        PUT /api/v1/me/password: wrong_credentials
        PUT /api/v1/me/picture: account_limited account_new not_librarian picture_damaged picture_quota picture_shape
        PUT /api/v1/me/picture: picture_too_costly picture_too_large pictures_off too_many_proposals validation
        PUT /api/v1/moderation/reports/{case}/claim: claimed decided not_moderator
        PUT /api/v1/notes/{note}/reactions/{name}: account_frozen not_a_member note_gated own_thing post_deleted
        PUT /api/v1/notes/{note}/reactions/{name}: post_gated review_gated
        PUT /api/v1/notes/{note}/themes/{theme}: account_frozen precondition_failed too_many_themes
        PUT /api/v1/photos/{photo}/image: picture_damaged picture_quota picture_shape picture_too_costly
        PUT /api/v1/photos/{photo}/image: picture_too_large pictures_off precondition_failed
        PUT /api/v1/posts/{post}/hide: not_moderator post_deleted role_too_low
        PUT /api/v1/posts/{post}/reactions/{name}: account_frozen not_a_member note_gated own_thing post_deleted
        PUT /api/v1/posts/{post}/reactions/{name}: post_gated review_gated
        PUT /api/v1/posts/{post}/reveal: account_frozen too_many_reveals
        PUT /api/v1/posts/{post}/scope: account_frozen no_book not_moderator role_too_low
        PUT /api/v1/posts/{post}/spoils: account_frozen email_unverified no_book not_there_yet own_thing role_too_low
        PUT /api/v1/reviews/{review}/reactions/{name}: account_frozen not_a_member note_gated own_thing post_deleted
        PUT /api/v1/reviews/{review}/reactions/{name}: post_gated review_gated
        PUT /api/v1/reviews/{review}/reveal: account_frozen too_many_reveals
        PUT /api/v1/series/{series}/follow: account_frozen too_many_follows
        PUT /api/v1/threads/{thread}/follow: too_many_watched
        PUT /api/v1/threads/{thread}/lock: not_moderator role_too_low too_many_pins
        PUT /api/v1/threads/{thread}/mute: too_many_watched
        PUT /api/v1/threads/{thread}/pin: not_moderator role_too_low too_many_pins
        PUT /api/v1/threads/{thread}/reveal: account_frozen too_many_reveals
        """
}
