import JSONWriting

// The form of groups in replies.

extension Groups.Group: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("name", name)
        object.put("description", about)
        object.put("html", html)
        object.put("joining", joining)
        object.put("visibility", visibility)
        object.put("member_count", members)
        object.put("book", book)
        object.put("role", role)
        object.put("is_hidden", isHidden)
        object.put("is_invited", isInvited)
        object.put("has_requested", hasRequested)
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("active_at", activeAt)
    }
}
