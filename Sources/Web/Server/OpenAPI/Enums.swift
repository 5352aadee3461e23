import Community

/// The names of sets of words. A set that has a name is a component of `openapi.json`, wherever it stands; one that stands at two places
/// and has none fails a test.
enum Enums {
    /// `nil` for a set without a name.
    static func name(of values: [String]) -> String? { names[values.joined(separator: " ")] }

    private static let names: [String: String] = {
        var names: [String: String] = [
            ProblemCode.allCases.map(\.rawValue).joined(separator: " "): "ProblemCode",
            FaultCode.allCases.map(\.rawValue).joined(separator: " "): "FaultCode",
            Notifications.Kind.allCases.map(\.rawValue).joined(separator: " "): "NotificationKind",
        ]
        for line in known.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1)
            if parts.count == 2 { names[String(parts[1])] = String(parts[0]) }
        }
        return names
    }()

    private static let known = """
        Visibility: private friends members public
        Registration: closed invite approval open
        Access: open members
        Shelf: want reading paused read stopped
        AnyShelf: all want reading paused read stopped
        ShelfSort: added title author rating progress
        CopySort: added title author
        Circle: friends all
        MetadataSource: google openlibrary
        ListDirection: ascending descending
        ReadingOutcome: open finished stopped
        Reaction: like love laugh wow sad think
        Role: member librarian moderator admin owner
        AccountState: active limited frozen suspended leaving deleted
        ReaderState: active limited frozen suspended leaving waiting
        Relation: none self friends requested asked
        Window: day week month
        GroupRole: member moderator owner
        GroupJoining: open request invitation
        GroupOpenness: public private
        LibraryKind: own group server
        LibraryRole: reader contributor owner
        LoanState: asked accepted out declined withdrawn returned
        ThreadKind: discussion question quote announcement
        PostKind: discussion question quote announcement reply
        ThreadSort: newest oldest active hot reactions
        PostSort: oldest newest tree reactions
        Watching: followed muted
        WholeScope: free finished
        Gate: off revealed finished position nothing
        ScopeReason: said position position_private finished nonfiction source no_book
        FollowKind: book author series list
        OperationState: waiting running done failed
        ExportState: waiting ready failed
        ProposalState: open accepted declined withdrawn
        ProposalAction: edit create
        ContributorRole: author adapter artist compiler contributor creator editor illustrator photographer translator author_of_introduction author_of_afterword cover_designer narrator performer singer voice_actor actor cinematographer composer director presenter producer screenwriter film_editor
        AccessMode: auditory chartOnVisual chemOnVisual colorDependent diagramOnVisual mathOnVisual musicOnVisual tactile textOnVisual textual visual
        AccessibilityFeature: alternativeText annotations ARIA audioDescription braille captions ChemML closedCaptions describedMath displayTransformability highContrastAudio highContrastDisplay index largePrint latex latex-chemistry longDescription MathML MathML-chemistry none openCaptions pageBreakMarkers pageNavigation readingOrder rubyAnnotations signLanguage structuralNavigation synchronizedAudioText tableOfContents tactileGraphic tactileObject timingControl transcript ttsMarkup unknown unlocked
        AccessibilityHazard: flashing motionSimulation noFlashingHazard noMotionSimulationHazard noSoundHazard none sound unknown unknownFlashingHazard unknownMotionSimulationHazard unknownSoundHazard
        CorrectedKind: book edition author
        RevisionAction: create edit merge undo
        EmptyBecause: not_made no_data no_friends
        EbookAudience: me everybody members on_loan
        EbookRights: public_domain open_licence own_copy granted
        EbookAccess: open lent sign_in check_out loan_ended
        EbookDirection: ltr rtl
        EbookWriting: horizontal vertical
        PhotoTurn: 0 90 180 270
        Whose: me friends all
        WorkKind: book film show audiobook
        NoteItemKind: text quote picture
        KeptKind: note text quote photo bookmark
        WorkForm: fiction nonfiction poetry
        SubjectKind: topic place person time
        ReportCategory: legal abuse spam spoiler rule other
        CaseOutcome: open acted dismissed
        Verdict: acted dismissed
        CaseState: open decided
        ActState: frozen running done cancelled
        ActOutcome: done same refused changed
        Office: moderator admin group server
        RequestState: pending accepted
        Correction: applied proposed unchanged
        """
}
