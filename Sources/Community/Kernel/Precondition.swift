/// What a caller demands of the version that is there.
package enum Precondition: Sendable {
    case none
    /// There is one, of any version.
    case exists
    case version(Int)
    /// Nothing that is or will be there.
    case never

    /// Throws `.preconditionFailed`.
    func check(_ version: Int?) throws(Failure) {
        let holds =
            switch self {
            case .none: true
            case .exists: version != nil
            case .version(let wanted): version == wanted
            case .never: false
            }
        guard holds else { throw .preconditionFailed("it has changed since you read it") }
    }
}
