import Community
import HTTPTypes

extension Boards {
    /// Boards over HTTP: reading, searching and writing, what readers keep about them, and what moderators do.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        var store: Store { site.community.boards }

        package func add(to routes: inout RouteTable) {
            addReading(to: &routes)
            addSearch(to: &routes)
            addMarks(to: &routes)
            addModerators(to: &routes)
            routes.area(Moderation.Routes.area) { addModeration(to: &$0) }
            addWriting(to: &routes)
        }

        // MARK: Parameters

        static let threadSort = QueryParameter(
            "sort", .choice(ThreadSort.allCases.map(\.rawValue)), "`active` where it is left out.")

        static let kind = QueryParameter("kind", Schemas.kind, "Threads of this kind alone.")
    }
}
