"""An address for each page of `Sources/Pages/Page+All.swift`, on a scene that the API sets. A page that gets none is a fault."""

import base64
import pathlib
import re
import urllib.parse

from browser import Api

TABLE = pathlib.Path(__file__).resolve().parents[2] / "Sources/Pages/Page+All.swift"
# White, 96 by 96: a picture of one pixel would be too small.
PICTURE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAGAAAABgAQAAAADK40qVAAAAFklEQVR42mP4jwQYRjmjnFHOKGf4cACww3u9TGk0owAAAABJRU5ErkJggg==")
# What stands behind the `?` for the other shapes of a page.
CASES = {
    "/search": ["q=middlemarch", "q=qxzv", "title=the&sort=relevance", "year_from=nonsense"],
    "/readers": ["q=ma"],
    "/threads/{thread}": ["is_unread=true", "sort=newest"],
    "/sign-in": ["is_reset=1", "is_waiting=true"],
    "/reset": ["token=spent"],
    "/confirm": ["token=spent"],
    "/report": ["target=reader%3Aquiet_corner"],
    "/settings/email": ["token=spent"],
}
# There are no such things, for anybody: the same page for what is hidden and for what never was.
ABSENT = ["/books/1", "/threads/1", "/@nobody_here", "/nowhere"]


def named(text):
    """A name and a word, as `NAME:WORD`."""
    return text.split(":", 1)


class Scene:
    """Things of every kind, of the reader `reader`, the friend `friend` and the owner of the server."""

    def __init__(self, url, owner, readers):
        self.owner = Api(url, *named(owner))
        self.reader, self.friend = (Api(url, *named(reader)) for reader in readers)
        reader, friend = self.reader, self.friend
        reading = reader.get(f"/readers/{reader.name}/shelves/reading")["items"]
        book = reader.get("/books/" + reading[0]["book"]["id"])
        self.book = book["id"]
        self.owner.act("PATCH", f"/books/{self.book}", series=[{"name": "Walks", "position": "1"}], reason="For a proof.")
        series = reader.get("/books/" + self.book)["series"][0]
        reader.act("PUT", f"/books/{self.book}/position", device="Paper", percent=20, meant="mine")
        reader.act("PUT", f"/books/{self.book}/review", rating=4.5, body="Fog everywhere. **Twice.**")
        friend.act("PUT", f"/books/{self.book}/review", rating=3, body="All is told here.", has_spoilers=True)
        mine = reader.get(f"/books/{self.book}/review")["id"]
        reply = friend.act("POST", f"/reviews/{mine}/replies", body="So it is, @" + reader.name + ".")["id"]
        lists = reader.act("POST", "/me/lists", title="For winter evenings", visibility="public")["id"]
        for entry in reading[:3]:
            reader.act("PUT", f"/lists/{lists}/books/{entry['book']['id']}")
        self.thread = self._thread()
        talk = reader.act("PUT", f"/me/conversations/with/{friend.name}")["id"]
        for who, body in ((reader, "How far are you?"), (friend, "Nearly *there*.")):
            who.act("POST", f"/conversations/{talk}/messages", body=body)
        note, theme, folder = self._notebook()
        guide = reader.book("How to Read in Company")
        ebook = reader.get(f"/books/{guide}/ebooks")["items"][0]["id"]
        post = self.posts[-1]
        friend.act("POST", "/reports", target="post:" + post, category="spoiler", text="It tells the end.")
        reader.act("POST", "/reports", target="post:" + self.posts[0], category="other", text="A walk.")
        case = self.owner.get("/moderation/reports")["items"][0]["id"]
        self.values = {
            "book": self.book, "author": book["authors"][0]["id"], "series": series["id"],
            "genre": reader.get("/genres")["items"][0]["slug"], "list": lists, "username": reader.name, "shelf": "reading",
            "thread": self.thread, "post": post, "ebook": ebook, "page": "2", "conversation": talk, "note": note,
            "theme": theme, "folder": folder, "case": case, "review": mine, "reply": reply, "photo": self.photo, "code": "9780000000002",
        }

    def _thread(self):
        """A thread with answers in two depths, one of them ahead of the reader."""
        reader, friend = self.reader, self.friend
        thread = reader.act("POST", f"/books/{self.book}/threads", title="At the window", body="Who sees her?", scope="free")
        thread = thread["thread"]["id"]
        self.posts = []
        for who, body, scope in (
                (friend, "She does:\n\n> Who sees her?\n\n- one\n- two\n\n`and` [a place](https://x.example)", "free"),
                (reader, "@" + friend.name + " yes. " + "A long answer in many words. " * 30, "free"),
                (friend, "And then the end.", {"upto": 9000}), (reader, "Mine.", "free")):
            answers = {"parent_id": self.posts[0]} if self.posts else {}
            post = who.act("POST", f"/threads/{thread}/posts", body=body, scope=scope, **answers)["post"]["id"]
            self.posts.append(post)
        reader.act("PATCH", "/posts/" + self.posts[-1], body="Mine, and better.")
        return thread

    def _notebook(self):
        reader = self.reader
        folder = reader.act("POST", f"/books/{self.book}/folders", name="Chancery")["id"]
        self.photo = reader.send("POST", f"/books/{self.book}/photos", PICTURE, "image/png")["id"]
        reader.act("PATCH", f"/photos/{self.photo}", visibility="public")
        reader.act("POST", f"/books/{self.book}/bookmarks", percent=30, label="Here")
        reader.act("POST", f"/books/{self.book}/checkout")
        note = reader.act(
            "POST", f"/books/{self.book}/notes", title="The opening", theme_names=["Weather"], folder_id=folder,
            place={"percent": 5}, visibility="public",
            items=[{"kind": "text", "body": "Fog up the river."}, {"kind": "quote", "body": "Fog down."}])
        return note["id"], note["themes"][0]["id"], folder

    def fill(self, path):
        """The address of a page with things of the scene in it."""
        return re.sub(r"\{(\w+)\}", lambda name: urllib.parse.quote(self.values[name[1]]), path)

    def addresses(self, faults):
        """Path in the table, address: every page, and its other shapes."""
        paths = re.findall(r'Page\(\s*"(/[^"]*)"', TABLE.read_text())
        faults.check(len(paths) > 40 and "/books/{book}" in paths, TABLE.name, f"names only {len(paths)} pages")
        found = []
        for path in paths:
            try:
                found.append((path, self.fill(path)))
            except KeyError as error:
                faults.add(path, f"the scene has no {error}: add it to {pathlib.Path(__file__).name}")
                continue
            found += [(path, self.fill(path) + "?" + query) for query in CASES.get(path, [])]
        return found


class Empty:
    """Somebody who has only just come, for whom nearly every page is empty."""

    def __init__(self, url, seed):
        self.reader = Api(url, f"just_come_{seed}")
        self.addresses = [
            "/home", "/feed", "/messages", "/notifications", "/friends", "/friends/all", "/friends/requests", "/friends/mutes",
            "/friends/blocks", "/reports", "/bookmarks", "/borrowed", f"/@{self.reader.name}", f"/@{self.reader.name}/shelves/reading",
            f"/@{self.reader.name}/reviews", f"/@{self.reader.name}/lists", f"/@{self.reader.name}/favourites",
            f"/@{self.reader.name}/statistics", "/settings/export",
        ]
