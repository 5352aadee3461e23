import JSONWriting

// The form of an entry in replies.

extension Library.Entry: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("book") { book.put(into: $0, shelf: own == nil ? nil : status) }
        object.put("shelf", status)
        object.put("edition_id", edition)
        object.put("started", started)
        object.put("finished", finished)
        object.put("read_count", timesRead)
        object.put("rating", rating)
        object.put("position", position)
        object.put("page", page)
        object.put("page_count", pages)
        object.put("visibility", own?.visibility)
        object.put("note", own?.note)
        object.put("version", version)
        object.put("added_at", addedAt)
        object.put("moved_at", movedAt)
    }
}

extension Library.Shelved: JSONForm {
    package func put(into object: JSONObject) {
        entry.put(into: object)
        object.put("readings", readings)
    }
}

extension Library.Reading: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("outcome", outcome.rawValue)
        object.put("started", started)
        object.put("finished", finished)
    }
}

extension Library.Counts: JSONForm {
    package func put(into object: JSONObject) {
        object.put("all", all)
        for status in Library.Status.allCases { object.put(named: status.rawValue, self[status]) }
    }
}

extension Library.ListItem: JSONForm {
    package func put(into object: JSONObject) {
        object.put("book", book)
        object.put("note", note)
        object.put("added_at", addedAt)
    }
}
