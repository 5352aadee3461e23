import Community
import TestSupport
import Testing

@Suite struct SeriesTitleTests {
    @Test(arguments: [
        ("The Hunger Games (The Hunger Games, #1)", "The Hunger Games", ["The Hunger Games|1"]),
        ("The Shining (The Shining #1)", "The Shining", ["The Shining|1"]),
        ("Nightshade (Nightshade #1; Nightshade World #4)", "Nightshade", ["Nightshade|1", "Nightshade World|4"]),
        ("Night Play (Dark-Hunter #5, Were-Hunter #1)", "Night Play", ["Dark-Hunter|5", "Were-Hunter|1"]),
        ("Bullet (Anita Blake, Vampire Hunter #19)", "Bullet", ["Anita Blake, Vampire Hunter|19"]),
        ("Ranma ½, Vol. 1 (Ranma ½ (US 2nd), #1)", "Ranma ½, Vol. 1", ["Ranma ½ (US 2nd)|1"]),
        (
            "A Dance with Dragons (A Song of Ice and Fire #5, Part 1 of 2)", "A Dance with Dragons",
            ["A Song of Ice and Fire|5, Part 1 of 2"]
        ),
        (
            "One Thousand White Women (One Thousand White Women#1)", "One Thousand White Women",
            ["One Thousand White Women|1"]
        ),
        ("Beyond Exile (Day by Day Armageddon,# 2)", "Beyond Exile", ["Day by Day Armageddon|2"]),
        ("Coraline (Illustrated Edition)", "Coraline (Illustrated Edition)", []),
        ("#GIRLBOSS", "#GIRLBOSS", []), ("Saga #1", "Saga #1", []), ("(Only, #1)", "(Only, #1)", []), ("", "", []),
        (")", ")", []),
    ])
    func `the series at the end of a title is split off`(title: String, rest: String, series: [String]) {
        let split = SeriesTitle.split(title)
        #expect(split.title == rest)
        #expect(split.series.map { "\($0.name)|\($0.position ?? "")" } == series)
    }
}
