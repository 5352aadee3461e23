import Community

extension Library.Entry: JSONWritable {
    func write(to output: JSONOutput) throws {
        let object = JSONObject(output)
        object.put("id", id)
        try object.put("book", book)
        object.put("status", status.rawValue)
        object.put("edition_id", edition)
        try object.put("started", started)
        try object.put("finished", finished)
        object.put("times_read", timesRead)
        try object.put("rating", rating)
        object.put("position", position)
        try object.put("visibility", own?.visibility)
        object.put("note", own?.note)
        object.put("version", version)
        object.put("added_at", addedAt)
        object.put("moved_at", movedAt)
        object.end()
    }
}
