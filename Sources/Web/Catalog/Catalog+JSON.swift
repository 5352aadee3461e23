import Community

// What stands in lists of books by the hundred writes itself.

extension Catalog.AuthorName: JSONWritable {
    func write(to output: JSONOutput) {
        let object = JSONObject(output)
        object.put("id", id)
        object.put("name", name)
        object.end()
    }
}

extension Catalog.Routes.ItemBody: JSONWritable {
    func write(to output: JSONOutput) throws {
        let object = JSONObject(output)
        object.put("id", id)
        object.put("title", title)
        object.put("subtitle", subtitle)
        try object.put("authors", authors)
        try object.put("cover", cover)
        object.put("year", year)
        try object.put("rating", rating)
        object.put("readers", readers)
        object.put("recommends", recommends)
        object.end()
    }
}
