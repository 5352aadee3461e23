/// Which way from a place a statement reads: the statements of both ways are made of the same parts.
protocol Direction: Sendable {
    /// Part of the statement's name.
    static var name: String { get }
    /// Against the order of the list, nearest first.
    static var reverses: Bool { get }
}

enum Onward: Direction { static let name = "after", reverses = false }
enum Back: Direction { static let name = "before", reverses = true }
