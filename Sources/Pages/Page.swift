/// One page: its address, what it asks of the API, and the template that shows the answer.
struct Page: Sendable {
    /// What strangers see in the place of what readers see.
    enum Strangers: Sendable {
        /// The same.
        case welcome
        /// The same template over another call.
        case ask(String)
        /// The page for signing in, which leads back.
        case signIn
    }

    /// What an address shows that names some parameter behind its `?`.
    struct Case: Sendable {
        let parameters: [String]
        let template: String
        let call: String
    }

    /// From the root, parameters in braces: `/books/{book}`.
    let path: String
    let template: String
    /// What is asked of the API: the address of a `GET` below `/api/v1`, parameters as in `path`. `nil`: nothing.
    var call: String?
    var strangers = Strangers.welcome
    /// Further answers, by the name under which the template finds them. `{thread.book_id}` in one is what the answer named `thread` has there.
    var beside: KeyValuePairs<String, String> = [:]
    /// Names of those that are asked for only where the answer's author looks: nobody else is shown them.
    var besideMine: Set<String> = []
    /// The first whose parameters the address names shows instead.
    var cases: [Case] = []
    /// Readers are led to their home.
    var isForStrangers = false
    /// Search engines are to pass it by.
    var isNoindex = false
    /// Nobody keeps it, since its address holds a secret.
    var isSecret = false
    /// It is there, and empty, where the API finds nothing.
    var isLenient = false
    /// Charts that it draws.
    var scaled: [Scaled] = []

    /// Figures of an answer, brought to the size of a chart.
    enum Scaled: Sendable {
        case ratings, year
    }

    init(
        _ path: String, _ template: String, _ call: String? = nil, strangers: Strangers = .welcome,
        beside: KeyValuePairs<String, String> = [:]
    ) {
        (self.path, self.template, self.call, self.strangers, self.beside) = (path, template, call, strangers, beside)
    }

    func with(_ change: (inout Page) -> Void) -> Page {
        var page = self
        change(&page)
        return page
    }

    /// The same for readers alone.
    var readersOnly: Page { with { $0.strangers = .signIn } }
    /// The same, passed by by search engines.
    var unlisted: Page { with { $0.isNoindex = true } }
}
