// What is shown to whoever may not read all of it: a program whose access token joins libraries and does not
// read them.

extension Lending.SharedLibrary {
    /// The same without what is said about it.
    package var withoutWords: Lending.SharedLibrary {
        var copy = self
        copy.description = nil
        return copy
    }
}
