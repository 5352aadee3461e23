import Postgres

extension Moderation {
    /// What readers said, by kind, author, time and what is in it: all that is given holds of what is found.
    ///
    /// It finds what members may see, hidden things too; nothing that was deleted, and nothing of private groups. What is found by its
    /// text, without an author or an e-mail domain, is looked for from a time on that lies within `Limits.moderation.lookBack`.
    package struct Query: Hashable, Sendable {
        /// `post`, `review`, … (`Community.utterances`); `nil`: all of them.
        package var kind: String?
        /// A username, with or without `@`.
        package var author: String?
        package var since: Timestamp?
        /// Stands in the title or the text, in capitals or not.
        package var text: String?
        /// The title or the text names it, or a domain below it.
        package var linkDomain: String?
        /// The author's e-mail address has it.
        package var emailDomain: String?

        package init() {}

        /// Throws `.invalid`; `pointer` makes the pointer of a field by its name.
        func check(at now: Timestamp, pointer: (String) -> String) throws {
            var faults = Faults()
            let kinds = Community.utterances.map { $0.facts.name }
            if let kind, !kinds.contains(kind) {
                faults.add(pointer("kind"), .unknown, "must be one of \(kinds.joined(separator: ", "))")
            }
            if let since {
                faults.require(since <= now, pointer("since"), .outOfRange, "must not lie in the future")
            }
            if let text {
                Wording.check(line: text, into: &faults, characters: Limits.moderation.soughtText, at: pointer("text"))
            }
            for (name, domain) in [("link_domain", linkDomain), ("email_domain", emailDomain)] {
                guard let domain else { continue }
                faults.require(
                    Self.isDomain(domain), pointer(name), .badFormat, "must be a domain, as in example.org")
            }
            if text != nil || linkDomain != nil, author == nil, emailDomain == nil {
                let days = Limits.moderation.lookBack.components.seconds / 86_400
                let earliest = now - Limits.moderation.lookBack
                let isRecent: Bool = if let since { since >= earliest } else { false }
                faults.require(
                    isRecent, pointer("since"), .required,
                    "must lie within \(days) days, unless an author or an e-mail domain is named: texts are read one by one"
                )
            }
            try faults.check()
        }

        /// What an act is done to must be named more closely than what is looked at. Throws `.invalid`.
        func checkForActs(at now: Timestamp) throws {
            guard author == nil, emailDomain == nil else { return }
            let earliest = now - Limits.moderation.lookBack
            let isRecent: Bool = if let since { since >= earliest } else { false }
            guard isRecent else {
                let days = Limits.moderation.lookBack.components.seconds / 86_400
                throw Failure.invalid(
                    "/query/since", .required,
                    "must lie within \(days) days, unless an author or an e-mail domain is named")
            }
        }

        private static func isDomain(_ text: String) -> Bool {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            return text.utf8.count <= 253 && parts.count > 1
                && parts.allSatisfy { part in
                    !part.isEmpty
                        && part.unicodeScalars.allSatisfy {
                            $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-"
                        }
                }
        }
    }

    /// What is put on a list of what a query finds.
    enum Chosen: String, Variation {
        /// What readers said.
        case said
        /// Those who said it.
        case readers
        /// Readers, whatever they said.
        case accounts
    }

    /// A query that was checked, as a statement takes it.
    package struct Sought: Hashable, Sendable {
        let kind: String?
        let author: ID<Accounts.Account>?
        let text: String?
        /// In small letters, as the other.
        let linkDomain: String?
        let emailDomain: String?
        /// Identifiers ascend in time: from this one, and before that one.
        var from: Int64
        var until = Int64.max
        /// Things at most, of each kind.
        var limit = Int.max

        /// Which index finds it.
        enum Way: String, Variation { case newest, author, domain }

        /// Nothing is asked of what readers say.
        var isOfReaders: Bool { kind == nil && text == nil && linkDomain == nil }

        var way: Way { author != nil ? .author : emailDomain != nil ? .domain : .newest }

        /// Where `linkDomain` stands by itself or behind a point.
        var link: String? {
            linkDomain.map { "(^|[^a-z0-9-])" + $0.replacing(".", with: "[.]") + "($|[^a-z0-9.-]|[.]($|[^a-z0-9]))" }
        }
    }
}

/// A kind of things in which readers say something: moderators look through them.
package protocol Utterance: ThingKind {
    static var saying: SayingFacts { get }
}

/// How things of one kind are looked through. The SQL calls a row by the name of its table, as that of `ThingFacts`.
package struct SayingFacts: Sendable {
    /// Joins what the others read and the facts of the kind do not.
    var joins: Fragment = ""
    /// All that it says; null for nothing.
    let text: Fragment
    /// Whether members may see it, were it not hidden.
    let isOpen: Fragment
}

extension Community {
    /// Kinds of things in which readers say something.
    package static let utterances = things.compactMap { $0 as? any Utterance.Type }
}

extension Moderation.Sought {
    /// SQL: `kind, id, beside, author_id, is_hidden, said, at` of what is chosen, of each kind the last `limit` (or, `back`, the first).
    ///
    /// A statement with a property `sought` and `var variation: Moderation.Sought.Way { sought.way }` says
    /// `from (\(Moderation.Sought.found(way).of(\.sought))) found`.
    static func found(_ way: Way, _ direction: Direction = .onward) -> SQL<Self> {
        Community.utterances.map { "(\(part($0, way, direction)))" }.joined(separator: "\nunion all\n")
    }

    /// The same of one kind.
    static func part<Kind: Utterance>(_: Kind.Type, _ way: Way, _ direction: Direction = .onward) -> SQL<Self> {
        let (facts, saying, table) = (Kind.facts, Kind.saying, Kind.facts.table)
        let order: Fragment = direction == .onward ? " desc" : ""
        return """
            select \(literal: facts.name) as kind, \(table).id, \(facts.beside ?? facts.author) as beside, \(facts.author) as author_id,
                   \(facts.isHidden) as is_hidden, \(saying.text) as said, \(table).created_at as at
              from \(table)
              \(facts.joins)
              \(saying.joins)
             where (\(\.kind)::text is null or \(\.kind) = \(literal: facts.name))
               and \(table).id >= \(\.from)
               and \(table).id < \(\.until)
               and not \(facts.isDeleted ?? "false")
               and \(saying.isOpen)
               and \(by(way, facts.author))
               and (\(\.text)::text is null or strpos(lower(\(saying.text)), lower(\(\.text))) > 0)
               and (\(\.linkDomain)::text is null
                    or strpos(lower(\(saying.text)), \(\.linkDomain)) > 0 and lower(\(saying.text)) ~ \(\.link, "link"))
             order by \(table).id\(order)
             limit \(\.limit)
            """
    }

    /// SQL: readers, by themselves: the author that is named, or those who signed up since and have such an address.
    static func accounts(_ way: Way) -> SQL<Self> {
        let chosen: SQL<Self> =
            switch way {
            case .newest: "true"
            case .author: "named.id = \(\.author)"
            case .domain: "\(domain) = \(\.emailDomain)"
            }
        return """
            select 'account', named.id, 0::bigint, named.id
              from account named
             where \(chosen)
               and named.id >= \(\.from)
             order by named.id
             limit \(\.limit)
            """
    }

    private static func by(_ way: Way, _ author: Fragment) -> SQL<Self> {
        switch way {
        case .newest: "true"
        case .author:
            """
            \(author) = \(\.author)
                   and (\(\.emailDomain)::text is null
                        or exists (select from account named where named.id = \(author) and \(domain) = \(\.emailDomain)))
            """
        case .domain:
            "\(author) in (select named.id from account named where \(domain) = \(\.emailDomain) and named.state <> 'deleted')"
        }
    }

    /// That of an e-mail address; index `account_of_email_domain`.
    private static let domain: Fragment = "split_part(named.email_folded, '@', 2)"
}

extension Moderation.Store {
    /// The query as statements take it. `pointer` makes the pointer of a field by its name: `?since`, `/query/since`. Throws `.invalid`,
    /// `.notFound` for an author who is not there.
    package func sought(
        of query: Moderation.Query, pointer: (String) -> String = { "/query/" + $0 }
    ) async throws -> Moderation.Sought {
        try query.check(at: services.clock.now(), pointer: pointer)
        var author: ID<Accounts.Account>?
        if let name = query.author { author = try await account(name) }
        let since: ID<Never> = query.since.map { IDMaker.first(at: $0) } ?? .min
        return Moderation.Sought(
            kind: query.kind, author: author, text: query.text,
            linkDomain: query.linkDomain?.lowercased(), emailDomain: query.emailDomain?.lowercased(),
            from: since.rawValue)
    }
}
