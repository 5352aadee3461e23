// What is shown to whoever may not read all of it: a program whose access token writes on boards and does not
// read them.

extension Boards.Post {
    /// The same without its text, as if all of it were veiled.
    package var withoutWords: Boards.Post {
        var copy = self
        copy.text = Boards.Text(body: "", html: "", isVeiled: true)
        return copy
    }
}
