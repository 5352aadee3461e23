import Testing

@testable import Postgres

@Suite struct ScriptTests {
    @Test(arguments: [
        ("", []),
        ("  -- nothing\n/* at ; all */ ;;", []),
        ("select 1", ["select 1"]),
        ("select 1; select 2;", ["select 1", "select 2"]),
        ("select 'a;b', 'it''s;', \"c;d\"; select 2", ["select 'a;b', 'it''s;', \"c;d\"", "select 2"]),
        (#"select e'a\';b'; select 2"#, [#"select e'a\';b'"#, "select 2"]),
        (#"select '\'; select 2"#, [#"select '\'"#, "select 2"]),
        ("do $$ begin; end $$; select $1", ["do $$ begin; end $$", "select $1"]),
        ("do $x$ a; $$ b; $$ $x$; select 2", ["do $x$ a; $$ b; $$ $x$", "select 2"]),
        ("select 1 -- one; two\n; select 2", ["select 1 -- one; two\n", "select 2"]),
        ("select /* a; /* b; */ c; */ 1; select 2", ["select /* a; /* b; */ c; */ 1", "select 2"]),
        ("select 'ä;', a$b;c", ["select 'ä;', a$b", "c"]),
    ])
    func `statements are cut where they end`(_ text: String, _ parts: [String]) {
        #expect(Script(text).parts.map(\.sql) == parts)
    }

    @Test func `each part knows the line where it begins`() {
        let script = Script("-- head\n\nselect 1;\n/* two\nlines */ select\n2;\n\nselect '\n\n'; select 4")
        #expect(script.parts.map(\.line) == [3, 5, 8, 10])
    }
}
