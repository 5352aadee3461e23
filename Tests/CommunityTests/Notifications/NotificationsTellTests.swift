import Foundation
import Testing

@testable import Community

/// Jobs of other versions of the program wait in the queue: the form of a `Tell` there stays as it is.
struct NotificationsTellTests {
    private static func id<Entity>(_ value: Int64) -> ID<Entity> { ID(rawValue: value) }

    private static let forms: [(Notifications.Tell, json: String, key: String)] = [
        (
            .written(id(7), by: id(3)), #"{"account":"3","after":0,"cause":7,"post":"7","subject":0,"what":"written"}"#,
            "written 7 3  0"
        ),
        (
            .written(id(7), by: id(3), after: id(9)),
            #"{"account":"3","after":9,"cause":7,"post":"7","subject":0,"what":"written"}"#, "written 7 3  9"
        ),
        (
            .edited(id(7), to: id(8), by: id(3)),
            #"{"account":"3","after":0,"cause":8,"post":"7","subject":0,"what":"edited"}"#,
            "edited 8 3  0"
        ),
        (
            .reacted(to: id(7), by: id(3)),
            #"{"account":"3","after":0,"cause":7,"post":"7","subject":0,"what":"reacted"}"#,
            "reacted 7 3  0"
        ),
        (
            .raised(id(7), of: id(4), cause: 8),
            #"{"after":0,"cause":8,"post":"7","reader":"4","subject":0,"what":"raised"}"#, "raised 8  4 0"
        ),
        (
            .replied(id(7), by: id(3), after: id(9)),
            #"{"account":"3","after":9,"cause":7,"subject":0,"what":"answered"}"#,
            "answered 7 3  9"
        ),
        (
            .replyEdited(id(7), to: id(8), by: id(3)),
            #"{"account":"3","after":0,"cause":8,"subject":7,"what":"reworded"}"#,
            "reworded 8 3  0"
        ),
        (
            .reviewReacted(to: id(7), by: id(3)),
            #"{"account":"3","after":0,"cause":7,"subject":0,"what":"applauded"}"#,
            "applauded 7 3  0"
        ),
        (
            .requested(id(7), by: id(3), cause: 8),
            #"{"account":"3","after":0,"cause":8,"subject":7,"what":"applied"}"#,
            "applied 8 3  0"
        ),
        (
            .told(.groupInvited, to: id(4), by: id(3), of: 7, cause: 8),
            #"{"account":"3","after":0,"cause":8,"kind":"group.invited","reader":"4","subject":7,"what":"told"}"#,
            "group.invited 8 3 4 0"
        ),
    ]

    @Test func `what is told keeps its form and its key in the queue, and is read back`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for (tell, json, key) in Self.forms {
            #expect(String(decoding: try encoder.encode(tell), as: UTF8.self) == json)
            #expect(tell.uniqueKey == key)
            let read = try JSONDecoder().decode(Notifications.Tell.self, from: Data(json.utf8))
            #expect(try encoder.encode(read) == Data(json.utf8))
        }
    }

    @Test func `a job that lacks what its kind of news has is refused`() {
        let json = #"{"account":"3","after":0,"cause":7,"subject":0,"what":"reacted"}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Notifications.Tell.self, from: Data(json.utf8))
        }
    }
}
