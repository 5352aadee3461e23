import Postgres

extension Catalog {
    /// Records of one batch, in the order of the file.
    package struct Entries: Sendable {
        package var authors: [AuthorRecord] = []
        package var works: [WorkRecord] = []
        package var editions: [EditionRecord] = []
        var redirects: [Redirect] = []
        var deletions: [Deletion] = []

        package init() {}

        struct Redirect: Sendable {
            let kind: Kind
            let from: String
            let to: String
            let stamp: Stamp
        }

        struct Deletion: Sendable {
            let kind: Kind
            let key: String
            let stamp: Stamp
        }

        mutating func append(_ entry: Entry) {
            switch entry {
            case .author(let record): authors.append(record)
            case .work(let record): works.append(record)
            case .edition(let record): editions.append(record)
            case .redirect(let kind, let from, let to, let stamp):
                redirects.append(Redirect(kind: kind, from: from, to: to, stamp: stamp))
            case .deletion(let kind, let key, let stamp):
                deletions.append(Deletion(kind: kind, key: key, stamp: stamp))
            case .foreign: break
            }
        }
    }

    /// What an intake did, in records.
    package struct IntakeOutcome: Sendable, Equatable {
        package var added: Int64 = 0
        package var changed: Int64 = 0
        /// Known in this version or a newer one; repeated keys of one batch among them.
        package var unchanged: Int64 = 0
        /// Works among the changed ones that their source deleted and that stay, because readers of ours hang something
        /// on them.
        package var kept: Int64 = 0
        /// Records among the unchanged ones that are newer than the redirect of their key: what was redirected stays
        /// so.
        package var redirected: Int64 = 0

        static func += (left: inout IntakeOutcome, right: IntakeOutcome) {
            left.added += right.added
            left.changed += right.changed
            left.unchanged += right.unchanged
            left.kept += right.kept
            left.redirected += right.redirected
        }
    }
}
