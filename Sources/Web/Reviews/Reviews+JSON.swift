import Community

extension Catalog.Book: JSONWritable {
    func write(to output: JSONOutput) throws {
        let object = JSONObject(output)
        object.put("id", id)
        object.put("title", title)
        try object.put("authors", authors)
        object.end()
    }
}
