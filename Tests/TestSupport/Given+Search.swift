import Community

extension World {
    /// Books that a search finds, in its order, after everything that was marked has been indexed and has its keys.
    package func found(_ query: String) async throws -> [Catalog.BookItem] {
        try await found(Search.Query(query)).page.items.map(\.book)
    }

    package func found(_ query: Search.Query, page: PageRequest<Search.Place> = PageRequest(limit: 100)) async throws
        -> Search.Answer
    {
        try await community.search.refresh()
        try await community.catalog.refreshBrowse()
        return try await community.search.search(query, page: page)
    }
}
