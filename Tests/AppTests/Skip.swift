import Testing

/// Has the result say that the test proved nothing here, where what it needs is not to be had.
func skip(_ reason: Comment) throws {
    #if compiler(>=6.3)
        try Test.cancel(reason)
    #else
        withKnownIssue(reason) { Issue.record(reason) }
    #endif
}
