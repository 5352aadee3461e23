import JSONWriting
import Postgres

// The form of libraries, copies, checkouts and loans in replies.

extension Lending.SharedLibrary: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("kind", kind)
        object.put("reader", reader)
        object.put("name", name)
        object.put("description", description)
        // What others may see is nobody else's business.
        object.put("visibility", joined == .owner ? visibility : nil)
        object.put("loan_days", loanDays)
        object.put("member_count", members)
        object.put("copy_count", copies)
        object.put("role", role)
        object.put("is_invited", isInvited)
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("changed_at", changedAt)
    }
}

extension Lending.Copy: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("library_id", library)
        object.put("book", book)
        object.put("edition_id", edition)
        object.put("label", label)
        object.put("added_by", addedBy)
        object.put("added_at", addedAt)
        object.put("out", out)
    }
}

extension Lending.Checkout: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("book", book)
        object.put("library", library)
        object.put("copy", copy)
        object.put("reader", reader)
        object.put("out_at", outAt)
        object.put("due_at", dueAt)
        object.put("returned_at", returnedAt)
        object.put("renewal_count", renewals)
    }
}

extension Lending.Loan: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("is_lent", direction == .out)
        object.put("state", state.name)
        object.put("book", book)
        object.put("copy_id", copy)
        object.put("label", label)
        object.put("reader", reader)
        object.put("due", due?.text)
        object.put("checkout_id", checkout)
        object.put("asked_at", askedAt)
        object.put("changed_at", changedAt)
    }
}
