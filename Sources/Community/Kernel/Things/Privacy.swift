import Postgres

/// Who sees what of a reader, kind by kind, where a thing has no level of its own.
///
/// **The** table of kinds: whatever belongs to a reader is of one of them. A thing's level is its own, where it has
/// one, else the reader's level for the kind, else the usual one below; who is at that level decides
/// `Visibility.predicate`. A change holds for the next read, count and delivery: statements ask for the level when they
/// run, and a domain that stores one (`review.visibility`) changes it in the transaction of the change
/// (`Profiles.Store.change`).
///
/// The table `privacy` has a column of the same name for each kind. In SQL the level of a kind is written
/// `coalesce(privacy.KIND, USUAL)` after `left join privacy on privacy.reader_id = …`, or
/// `coalesce((select privacy.KIND from privacy where privacy.reader_id = …), USUAL)`; a test holds every statement to
/// the numbers.
package struct Privacy: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The name beside the username, and the picture: both show a person.
        case name
        case bio
        /// Ratings and reviews.
        case reviews
        /// What is said on boards.
        case discussions
        case shelves
        case lists
        case favourites
        /// The most that is told of a move when it happens.
        case activity
        /// How far the reader is in a book.
        case position
        /// The books that the reader owns, and loans.
        case library
        case statistics
        case notes
        case searches
        /// Photographs of books.
        case photos
        /// That the reader rates books as somebody else does. Told to readers who let members know of their own, too.
        case taste

        /// The level for readers who never chose one: the default of the kind's column.
        package var usual: Visibility {
            switch self {
            case .reviews, .discussions: .public
            case .name, .bio, .shelves, .lists, .favourites: .members
            case .activity, .position, .library, .statistics, .photos: .friends
            case .notes, .searches, .taste: .private
            }
        }
    }

    /// Only what is not as usual.
    private var chosen: [Kind: Visibility] = [:]

    /// Everything as usual but `levels`.
    package init(_ levels: [Kind: Visibility] = [:]) {
        for (kind, level) in levels { self[kind] = level }
    }

    package subscript(kind: Kind) -> Visibility {
        get { chosen[kind] ?? kind.usual }
        set { chosen[kind] = newValue == kind.usual ? nil : newValue }
    }

    /// The kinds whose level `other` has otherwise, in the order of the table.
    func differences(from other: Privacy) -> [Kind] { Kind.allCases.filter { self[$0] != other[$0] } }
}

extension Privacy.Kind {
    /// All kinds as columns, in the order of the table.
    static var columns: Fragment { allCases.map { "privacy.\(column: $0)" as Fragment }.joined(separator: ", ") }
}

extension Privacy {
    /// SQL: `value` where the viewer may see things of this kind of `owner`, else null: for what has no level of its
    /// own.
    ///
    /// The arguments are SQL expressions written by us (a column, or the parameter that is the viewer), never input.
    static func shown<S>(_ value: SQL<S>, _ kind: Kind, viewer: SQL<S>, owner: SQL<S>) -> SQL<S> {
        """
        (select \(value)
                   from (values (\(level(kind, of: owner)))) shown (level)
                  where \(Visibility.predicate(viewer: viewer, owner: owner, level: "shown.level")))
        """
    }

    /// SQL: the name of `owner` for a text that everybody gets who may see the rest of it: an event, which is written
    /// once for all. Null unless members may see it. `Profiles.Store` brings what was written before in line when the
    /// name or its level changes.
    static func told<S>(_ name: SQL<S>, owner: SQL<S>) -> SQL<S> {
        "case when \(level(.name, of: owner)) >= \(Visibility.members.rawValue) then \(name) end"
    }

    /// SQL: the level of a thing of this kind that may have one of its own, `own`; where `privacy` of its owner is joined.
    static func level<S>(_ own: SQL<S>, _ kind: Kind) -> SQL<S> {
        "coalesce(\(own), privacy.\(column: kind), \(kind.usual.rawValue))"
    }

    /// SQL: the level of a kind for `owner`.
    static func level<S>(_ kind: Kind, of owner: SQL<S>) -> SQL<S> {
        """
        coalesce((select privacy.\(column: kind) from privacy where privacy.reader_id = \(owner)), \(kind.usual.rawValue))
        """
    }
}
