/// How this server's owner wants the community to run. Read from flags, environment and file by `App`; tests choose
/// their own.
package struct CommunitySettings: Sendable {
    /// Who may sign up.
    package enum Registration: String, Sendable, CaseIterable {
        /// Nobody; the owner makes accounts.
        case closed
        /// Those who hold an invitation code.
        case invite
        /// Everyone, but an account rests until it is approved.
        case approval
        /// Everyone.
        case open
    }

    /// Who may read what is public.
    package enum Access: String, Sendable, CaseIterable {
        /// Everyone, signed in or not.
        case open
        /// Only who is signed in.
        case members
    }

    /// Where people reach this server, without a slash at the end: every link in a mail begins with it.
    package var publicURL: String
    package var registration: Registration
    package var access: Access
    /// The listen address and the host of `publicURL` are both loopback: a machine of one's own.
    package var isLoopback: Bool
    /// Mail leaves this server. Where it does not, an invitation or an approval counts as verification of the address.
    package var deliversMail: Bool
    /// Readers can open pages of this server below `publicURL`.
    package var hasPages = false
    /// How long an account counts as new, in hours; the tighter limits of the first day hold that long.
    package var newAccountHours: Int
    /// False only on loopback, for benches and tests: no rates, no counts per address. Sizes stay.
    package var limitsRates: Bool
    /// What log-in costs. Tests lower it; nothing else does.
    package var passwordCost: PasswordHash.Cost
    package var secret: SecretKey
    /// How long the opening call shows the same books as those that are read most. Tests take none; nothing else sets
    /// it.
    package var topBooksAge = Duration.seconds(1)
    /// How long what is said in a thread gathers before its followers are told of it. Tests take none; nothing else
    /// sets it.
    package var gathering = Duration.seconds(5)
    /// Whether one account's posts keep their distance in time: a new account pauses after each, and nobody says the
    /// same twice. Tests of other things do without; nothing else sets it.
    package var spacesPosts = true
    /// Other catalogues that are asked for books; none unless the owner says so.
    package var sources = Sources.Settings()
    /// What photographs are read in where the language of the book is not known, or not installed: tesseract's names.
    package var photoLanguages = ["eng"]

    package init(
        publicURL: String, registration: Registration = .invite, access: Access = .open, isLoopback: Bool = false,
        deliversMail: Bool = false, newAccountHours: Int = 24, limitsRates: Bool = true,
        passwordCost: PasswordHash.Cost = .standard, secret: SecretKey
    ) {
        self.publicURL = publicURL
        self.registration = registration
        self.access = access
        self.isLoopback = isLoopback
        self.deliversMail = deliversMail
        self.newAccountHours = newAccountHours
        self.limitsRates = limitsRates
        self.passwordCost = passwordCost
        self.secret = secret
    }
}
