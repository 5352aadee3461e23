import Postgres

extension Catalog {
    /// How people complete and correct the catalogue.
    ///
    /// **Who.** Members in good standing add books; a book that may be there already is refused with its candidates
    /// unless they insist. What a librarian (or somebody above) corrects holds at once; what a member corrects is a
    /// **proposal** that librarians accept or decline.
    ///
    /// **Editions.** A librarian adds an edition to a book at once; a member proposes it. The store refuses an ISBN that
    /// an edition of any book has. A correction may set such an ISBN: publishers do print numbers twice.
    ///
    /// **Facts.** A book, an edition and an author are a set of named fields (`Field`), each holding a `Fact`. A
    /// correction names some of them. Each accepted change is a **revision** with the fields before and after, in the
    /// change's own transaction; it can be undone as long as the fields still are what it made them. An edition's
    /// chapters and cover, which are set by calls of their own, have revisions too.
    ///
    /// **Locks.** A field that somebody corrected is locked: imports leave it alone. Undoing the correction unlocks it;
    /// a librarian sets locks as the field `locked`.
    ///
    /// **Merging.** `Merging` takes everything that hangs on one thing over to another, whether a librarian says that
    /// both are one or a redirect in a dump does. The old id goes on answering, with the other one's page under the
    /// other one's id, and `Content-Location` saying so: an app that stored the old id needs no second request. What
    /// was taken over is locked, for no record would bring it back. It takes turns with imports.
    ///
    /// **Limits**: `Limits.Catalog`: 100 books that a member adds in a day, 100 open proposals of a member, 2,000 bytes
    /// of a reason or an answer, 10 candidates that a refused book names. **Tables**: catalog_revision,
    /// catalog_proposal. **Events**: none. **Jobs**: none.
    package enum Help {}

    /// What can be corrected.
    package enum Thing: Hashable, Sendable {
        case book(ID<Work>)
        case edition(ID<Edition>)
        case author(ID<Author>)

        /// As it is called in addresses, on the command line and in history.
        package enum Kind: String, Sendable, CaseIterable, Codable, PostgresText {
            case book, edition, author
        }

        package var kind: Kind {
            switch self {
            case .book: .book
            case .edition: .edition
            case .author: .author
            }
        }

        package var id: Int64 {
            switch self {
            case .book(let id): id.rawValue
            case .edition(let id): id.rawValue
            case .author(let id): id.rawValue
            }
        }

        package init(_ kind: Kind, _ id: Int64) {
            switch kind {
            case .book: self = .book(ID(rawValue: id))
            case .edition: self = .edition(ID(rawValue: id))
            case .author: self = .author(ID(rawValue: id))
            }
        }

        /// `book 42`.
        package var name: String { "\(kind.rawValue) \(id)" }
    }

    /// The value of one field.
    package enum Fact: Hashable, Sendable {
        case none
        case text(String)
        case number(Int)
        case texts([String])
        case parts([Part])

        /// An author, a series or a subject that a book names, or a chapter of an edition.
        package struct Part: Hashable, Sendable, Codable {
            /// Of an author: taken instead of the name.
            package var id: String?
            package var name: String?
            /// Of a book in a series, as printed; of a chapter, in ten-thousandths.
            package var position: String?
            /// Of a subject: topic, place, person or time.
            package var kind: String?
            /// Of an author: a `Role`.
            package var role: String?

            package init(
                id: String? = nil, name: String? = nil, position: String? = nil, kind: String? = nil,
                role: String? = nil
            ) {
                self.id = id
                self.name = name
                self.position = position
                self.kind = kind
                self.role = role
            }
        }

        package var text: String? { if case .text(let text) = self { text } else { nil } }
        package var number: Int? { if case .number(let number) = self { number } else { nil } }
        package var texts: [String] { if case .texts(let texts) = self { texts } else { [] } }
        package var parts: [Part] { if case .parts(let parts) = self { parts } else { [] } }

        init(_ text: String?) { self = text.map(Fact.text) ?? .none }
        init(_ number: Int?) { self = number.map(Fact.number) ?? .none }
    }

    /// Fields by name.
    package typealias Facts = [Field.Name: Fact]

    /// Who changes something, as the rules of the catalogue see them.
    package struct Helper: Sendable {
        package let actor: Moderation.Actor

        package init(_ actor: Moderation.Actor) { self.actor = actor }

        /// A member in good standing: may post, is not limited, and no longer new. Throws `.forbidden` with
        /// `account_frozen`, `email_unverified`, `account_limited` or `account_new`.
        package init(_ identity: Accounts.Identity, in services: Services) throws(Failure) {
            try identity.mayPost()
            guard identity.state == .active else {
                throw .forbidden(code: .accountLimited, "this account is limited: it does not change the catalogue")
            }
            let isNew = services.isNew(bornAt: identity.createdAt)
            guard identity.role >= .librarian || services.settings.isLoopback || !isNew else {
                throw .forbidden(
                    code: .accountNew,
                    "new accounts change the catalogue after \(services.settings.newAccountHours) hours")
            }
            actor = Moderation.Actor(identity)
        }

        package var isLibrarian: Bool {
            switch actor {
            case .terminal, .system: true
            case .account(_, let role, _): role >= .librarian
            }
        }

        package var account: ID<Accounts.Account>? {
            actor.account
        }

        /// Throws `.forbidden` with `not_librarian`.
        package func requireLibrarian() throws(Failure) {
            guard isLibrarian else { throw .forbidden(code: .notLibrarian, "only librarians may do that") }
        }
    }
}

extension Catalog.Facts {
    /// The fields that imports leave alone.
    var locked: Set<Catalog.Field.Name> {
        get { Set((self[.locked]?.texts ?? []).compactMap(Catalog.Field.Name.init(rawValue:))) }
        set { self[.locked] = .texts(newValue.map(\.rawValue).sorted()) }
    }
}

extension Catalog.Fact: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .none
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let texts = try? container.decode([String].self) {
            self = .texts(texts)
        } else {
            self = .parts(try container.decode([Part].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .none: try container.encodeNil()
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .texts(let texts): try container.encode(texts)
        case .parts(let parts): try container.encode(parts)
        }
    }
}
