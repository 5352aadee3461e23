// What is shown to whoever may not read all of it: a program whose access token joins groups and does not
// read them.

extension Groups.Group {
    /// The same without what is said about it.
    package var withoutWords: Groups.Group {
        var copy = self
        (copy.about, copy.html) = (nil, nil)
        return copy
    }
}
