import Postgres

extension Lending {
    /// One copy of a book in a library.
    package struct Copy: Hashable, Sendable {
        package let id: ID<Copy>
        package let library: ID<SharedLibrary>
        package let book: Catalog.Book
        package let edition: ID<Catalog.Edition>?
        package let label: String?
        /// `nil` where that account is gone or may not be seen.
        package let addedBy: Accounts.Reader?
        package let addedAt: Timestamp
        /// `nil` while it is in.
        package let out: Out?

        /// Where it is.
        package struct Out: Hashable, Sendable, Encodable {
            package let outAt: Timestamp
            package let dueAt: Timestamp?
            /// Who has it, for those who may know.
            package let reader: Accounts.Reader?
        }
    }

    /// A book that somebody took from a library.
    package struct Checkout: Hashable, Sendable {
        package let id: ID<Checkout>
        package let book: Catalog.Book
        /// `nil` where it is gone or the viewer sees it no more.
        package let library: Place?
        /// `nil` where the library has recorded none, and where it is gone.
        package let copy: Item?
        /// Who has it, for those who may know.
        package let reader: Accounts.Reader?
        package let outAt: Timestamp
        package let dueAt: Timestamp?
        package let returnedAt: Timestamp?
        package let renewals: Int
        let key: CheckoutKey

        /// The library that it was checked out of, where the viewer sees that library.
        package struct Place: Hashable, Sendable, Encodable {
            package let id: ID<SharedLibrary>
            package let name: String
        }

        /// The copy that is out.
        package struct Item: Hashable, Sendable, Encodable {
            package let id: ID<Copy>
            package let label: String?
        }
    }

    /// What copies are sorted by.
    package enum Sort: String, Sendable, CaseIterable {
        /// Last added first.
        case added
        case title
        /// Then by title.
        case author
    }

    /// The place of a copy in its library. Only what the sort needs is filled.
    package struct CopyKey: Hashable, Sendable, Codable {
        package var title = ""
        package var author = ""
        package let id: ID<Copy>

        private enum CodingKeys: String, CodingKey {
            case title = "t"
            case author = "a"
            case id = "i"
        }
    }

    /// A copy and where it stands.
    struct Placed: Sendable {
        let copy: Copy
        let key: CopyKey
    }

    /// The place of a checkout in a list by title.
    package struct CheckoutKey: SortKey, Codable {
        let title: String
        let id: ID<Checkout>

        package static let lowest = CheckoutKey(title: "", id: .min)
        package static let highest = CheckoutKey(title: Catalog.Browse.beyond, id: .max)

        private enum CodingKeys: String, CodingKey {
            case title = "t"
            case id = "i"
        }
    }

    /// What is to change about a copy.
    package struct CopyChange: Hashable, Sendable {
        package var edition: FieldChange<ID<Catalog.Edition>>
        package var label: FieldChange<String>

        package init(edition: FieldChange<ID<Catalog.Edition>> = .keep, label: FieldChange<String> = .keep) {
            self.edition = edition
            self.label = label
        }
    }
}
