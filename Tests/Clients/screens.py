"""Draws screens of each of the five reading apps, as their developers would from the documents alone.

It signs in as `clients` on a fresh server with the demonstration, sets a scene with a second reader, and draws each screen as text.
A screen takes one GET: the one that `x-screens` of `openapi.json` names for it. It must show what its app promises. What a reader hid, and what lies ahead in a book,
must be in no answer. It prints the screens and exits with 0. Where something is wrong, it prints that too and exits with 1.
"""

import base64
import json
import socket
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid

url = sys.argv[1].rstrip("/")
most = 1
faults = []
drawn = []
# White, 96 by 96: a picture of one pixel would be too small.
picture = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAGAAAABgAQAAAADK40qVAAAAFklEQVR42mP4jwQYRjmjnFHOKGf4cACww3u9TGk0owAAAABJRU5ErkJggg==")


def check(holds, what):
    if not holds:
        faults.append(what)


class Session:
    """A signed-in reader: `get` reads and counts, `act` writes under a key of its own."""

    def __init__(self):
        self.token, self.gets, self.heard = None, 0, ""

    def send(self, method, path, data=None, kind="application/json"):
        request = urllib.request.Request(url + "/api/v1" + path, data, method=method)
        request.add_header("Content-Type", kind)
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        if method != "GET":
            request.add_header("Idempotency-Key", str(uuid.uuid4()))
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            print(f"{method} {path} answers {error.code}: {error.read().decode()}")
            sys.exit(1)

    def get(self, path):
        self.gets += 1
        text = self.send("GET", path)
        self.heard += text
        return json.loads(text)

    def fill(self, app, screen, **names):
        """What a screen shows: the one call that the API names for it, with these names in its path."""
        return self.get(fills[app, screen].removeprefix("GET /api/v1").format(**names))

    def act(self, method, path, **body):
        return json.loads(self.send(method, path, json.dumps(body).encode()) or "null")

    def find(self, title):
        found = json.loads(self.send("GET", "/search?" + urllib.parse.urlencode({"title": title, "limit": 1})))["items"]
        check(found and found[0]["title"] == title, f"the search finds “{title}” first")
        return found[0]["id"]


# The words of the screens: a book, a reader and stars look the same in every app.

def book_line(book, *more):
    """A book as every list names it: title, authors, year, cover and its words."""
    authors = ", ".join(author["name"] for author in book["authors"])
    head = " · ".join(str(part) for part in (book["title"], authors, book["year"], *more) if part)
    return f"{head}\n      [{book['cover']['alt']}] {book['cover']['url']}"


def stars(rating):
    return f"{rating:g} stars" if rating else None


def reader_name(reader):
    """Name and picture of a reader. A reader without a name goes by the username."""
    picture = reader["picture"]
    return (reader["name"] or "@" + reader["username"]) + (f" [{picture['alt']}] {picture['url']}" if picture else "")


def review_line(review):
    if review["state"] != "shown":
        return "  a review that waits until you finished the book"
    return "  " + " · ".join(filter(None, (reader_name(review["author"]), stars(review["rating"]), review["body"])))


def book_head(book):
    mean, genres = book["rating"], ", ".join(genre["name"] for genre in book["genres"])
    mine = "my " + stars(book["my_rating"]) if book["my_rating"] else None
    yield book_line(book, "on " + book["shelf"] if book["shelf"] else None, mine)
    yield f"{genres} · {stars(mean['average'])} of {mean['count']} · {book['reader_count']} read it"


def board_lines(board):
    yield f"Board: {board['board']['post_count']} posts, {board['board']['ahead_count']} ahead of you"
    for thread in board["pinned"] + board["items"]:
        yield (f"  {thread['title']} · {reader_name(thread['author'])} · {thread['excerpt']}" if thread["state"] == "shown"
               else f"  a {thread['kind']} that waits until {thread['position'] / 100:g} %")


# The screens. Each gets a session and answers with its lines.

def libsterapp_details(session, book):
    """LibsterApp, Details: a book with its board, and what friends make of it."""
    book = session.fill("LibsterApp", "Details", book=book)
    yield from book_head(book)
    yield book["description"]
    yield f"{'♥ a favourite' if book['is_favourite'] else '♡'} · {book['checkout_count']} checked it out"
    for friend in book["included"]["friends"]["items"]:
        yield f"  friend: {reader_name(friend['reader'])} · {friend['shelf']} · {stars(friend['rating'])}"
    yield from board_lines(book["included"]["threads"])
    yield "Reviews:"
    yield from map(review_line, book["included"]["reviews"]["items"][:4])


def books_details(session, book):
    """Books!, Book Details: a book, its ratings and reviews, and its board."""
    book = session.fill("Books!", "Book Details", book=book)
    yield from book_head(book)
    yield "On my lists: " + ", ".join(own["title"] for own in book["my_lists"])
    yield from map(review_line, book["included"]["reviews"]["items"][:4])
    yield from board_lines(book["included"]["threads"])


def books_library(session):
    """Books!, Library: what is borrowed, what is saved, and what is read."""
    me = session.fill("Books!", "Library (saved, have read)")
    counts = me["included"]["shelves"]["shelves"]
    yield f"{reader_name(me)} · {counts['want']} saved, {counts['read']} read · {me['friend_count']} friends"
    for loan in me["included"]["borrowed"]["items"]:
        yield "  borrowed: " + book_line(loan["book"], loan["library"]["name"], "due " + (loan["due_at"] or "on no day"))
    for shelf, word in (("want", "saved"), ("read", "read")):
        for entry in me["included"]["shelf_" + shelf]["items"]:
            yield f"  {word}: " + book_line(entry["book"], stars(entry["rating"]))


def books_friend(session, friend):
    """Books!, Profile of a friend: the favourites and lists that a friend shows."""
    friend = session.fill("Books!", "Profile of a friend", username=friend)
    for mark in friend["included"]["favourites"]["items"]:
        yield "  ♥ " + book_line(mark["book"])
    yield f"Lists of {friend['name']} ({friend['picture']['widths']['96']}), {friend['relation']}:"
    for other in friend["included"]["lists"]["items"]:
        yield f"  {other['title']} · {other['book_count']} books"


def shelfed_shelves(session):
    """Shelfed, Shelves: the three shelves with covers and stars."""
    included = session.fill("Shelfed", "Shelves")["included"]
    for shelf, title in (("want", "Want to read"), ("reading", "Reading"), ("read", "Read")):
        yield f"{title} ({included['shelves']['shelves'][shelf]})"
        for entry in included["shelf_" + shelf]["items"]:
            page = entry["page"] and f"page {entry['page']} of {entry['page_count']}"
            yield f"  {book_line(entry['book'], stars(entry['rating']), page)}"


def booknook_home(session):
    """BookNook, Home: what is trending, and what friends read."""
    included = session.fill("BookNook", "Home")["included"]
    yield "Trending:"
    for row in included["trending"]["items"][:3]:
        readers = row["why"]["reader_count"]
        more = stars(row["book"]["rating"]["average"]), f"{readers} read it" if readers else "few read it"
        yield f"  {row['place']}. {book_line(row['book'], *more)}"
    yield "Friends:"
    for act in included["feed"]["items"]:
        if act["why"] == "friend" and act["book"]:
            yield f"  {reader_name(act['reader'])} · {act['kind']}\n    {book_line(act['book'])}"


def booklib_book(session, book):
    """BookLib, Book: three widgets, which are the book, its themes, and its notes and folders."""
    notebook = session.fill("BookLib", "Book", book=book)
    yield from book_head(notebook["included"]["book"])
    for theme in notebook["themes"]["items"]:
        yield f"Theme: {theme['name']} ({theme['note_count']})"
    for folder in notebook["folders"]["items"]:
        yield f"Folder: {folder['name']} ({folder['note_count']})"
    for note in notebook["notes"]["items"]:
        yield f"Note: {note['title']} · {note['excerpt']}"


def draw(session, screen, shows, *arguments):
    """Draws a screen, counts its calls, and looks in the text for what it must show and in the answers for what they must not have."""
    session.gets, session.heard = 0, ""
    lines = list(screen(session, *arguments))
    text, title = "\n".join(lines), screen.__doc__.split(":")[0]
    check(session.gets <= most, f"{title} takes {session.gets} GETs, {most} at most")
    for what in shows:
        check(what in text, f"{title} does not show “{what}”")
    for what in hidden:
        check(what not in session.heard, f"{title} gets “{what}”, which is hidden from this reader")
    covers = text.count(f"] {url}/covers/")
    check(covers and covers == text.count("[Cover of "), f"{title} shows {covers} covers, each with its words")
    drawn.append(f"== {title} ({session.gets} GET)\n{text}\n")
    return lines


class Stream:
    """The live stream on a plain socket, as the documents write it. A mask of zeros leaves a frame as it is."""

    def __init__(self, token):
        where = urllib.parse.urlsplit(url)
        self.wire = socket.create_connection((where.hostname, where.port or 80), timeout=30)
        self.wire.sendall((
            f"GET /api/v1/stream HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer {token}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
        self.frames = self.wire.makefile("rb")
        check(b" 101 " in self.frames.readline(), "the stream opens")
        while self.frames.readline() != b"\r\n":
            pass

    def say(self, **frame):
        said = json.dumps(frame).encode()
        self.wire.sendall(bytes([0x81, 0x80 | len(said), 0, 0, 0, 0]) + said)

    def hear(self, kind):
        """The next frame of a type; others, and pings, are passed over."""
        while True:
            first, size = self.frames.read(2)
            if size > 125:
                size = int.from_bytes(self.frames.read(2 if size == 126 else 8), "big")
            text = self.frames.read(size)
            if first == 0x81 and json.loads(text)["type"] == kind:
                return json.loads(text)


with urllib.request.urlopen(url + "/api/v1/openapi.json", timeout=30) as answer:
    fills = {(row["app"], row["screen"]): row["fill"] for row in json.load(answer)["x-screens"]}

# The scene: two readers who are friends, three books.
me, friend = Session(), Session()
me.token = me.act("POST", "/sessions", login="clients", password="a long walk home")["token"]
friend.token = friend.act(
    "POST", "/accounts", username="sidonie", email="sidonie@example.org", email_confirmation="sidonie@example.org",
    password="seven green umbrellas", password_confirmation="seven green umbrellas")["token"]
friend.act("PATCH", "/me", name="Sidonie Leclerc")
friend.send("PUT", "/me/picture?alt=A%20white%20square", picture, "image/png")
asked = me.act("POST", "/me/friend-requests", username="sidonie")
friend.act("POST", f"/me/friend-requests/{asked['id']}/accept")

dalloway, bleak, rabbits = me.find("Mrs Dalloway"), me.find("Bleak House"), me.find("Watership Down")
me.act("PUT", f"/books/{dalloway}/position", device="phone", page=20, page_count=194)
me.act("PUT", f"/books/{dalloway}/favourite")
me.act("POST", f"/books/{dalloway}/threads", title="The flowers", body="She buys them herself.", scope="free")
me.act("PUT", f"/books/{bleak}/shelf", shelf="want")
me.act("PUT", f"/books/{bleak}/review", rating=4.5, body="Fog everywhere.")
fog = me.act("POST", "/me/lists", title="For winter evenings")["id"]
me.act("PUT", f"/lists/{fog}/books/{bleak}")
me.act("POST", f"/books/{dalloway}/checkout")
me.act("POST", f"/books/{bleak}/checkout")
drawer = me.act("POST", f"/books/{bleak}/folders", name="Chancery")["id"]
me.act("POST", f"/books/{bleak}/notes", title="Filed away", folder_id=drawer)
words = [{"kind": "text", "body": "Fog up the river."}]
me.act("POST", f"/books/{bleak}/notes", title="The opening", theme_names=["Weather"], items=words)

stream = Stream(me.token)
stream.say(type="subscribe", id=1, topic="home", **{"from": "now"})
stream.hear("subscribed")
friend.act("PUT", f"/books/{dalloway}/review", rating=5, body="Read it twice.")
event = stream.hear("event")
check(event["kind"] == "review.posted", f"home tells of the friend's review, not of {event['kind']}")
check(event["data"].get("review", {}).get("body") == "Read it twice.", f"the event carries the review: {event['data']}")

friend.act("PUT", f"/books/{dalloway}/shelf", shelf="read")
friend.act("PUT", f"/books/{dalloway}/favourite")
friend.act("POST", f"/books/{dalloway}/threads", title="Septimus at the window", body="He jumps.", scope="finished")
friend.act("PUT", f"/books/{bleak}/review", rating=4.75, body="Lady Dedlock at the gate.", has_spoilers=True)
friend.act("PUT", f"/books/{rabbits}/review", rating=1, body="I never liked rabbits.", visibility="private")
for title, level in (("London in one day", "members"), ("Presents for clients", "private")):
    made = friend.act("POST", "/me/lists", title=title, visibility=level)["id"]
    friend.act("PUT", f"/lists/{made}/books/{dalloway}")

# Her secrets: a thread and a review that lie ahead, a private review and a private list.
hidden = ("Septimus at the window", "He jumps.", "Lady Dedlock at the gate.", "I never liked rabbits.", "Presents for clients")
sidonie = f"Sidonie Leclerc [A white square] {url}/media/"

draw(me, libsterapp_details, (
    "Mrs Dalloway · Virginia Woolf · 1925 · on reading", "[Cover of Mrs Dalloway by Virginia Woolf]", "Classics", "stars of",
    " read it", "♥ a favourite", "1 checked it out", "friend: " + sidonie, " · read · 5 stars", "Board: 2 posts, 1 ahead of you",
    "The flowers · @clients · She buys them herself.", "a discussion that waits until 100 %", "5 stars · Read it twice."), dalloway)

lines = draw(me, books_library, (
    "@clients · 1 saved, 0 read · 1 friends", "borrowed: Bleak House · Charles Dickens · 1853 · Library · due",
    "borrowed: Mrs Dalloway · Virginia Woolf · 1925 · Library · due", "saved: Bleak House · Charles Dickens · 1853 · 4.5 stars"))
borrowed = [line for line in lines if line.startswith("  borrowed: ")]
check(len(borrowed) == 2 and borrowed == sorted(borrowed), "borrowed books come by title")

draw(me, shelfed_shelves, (
    "Want to read (1)\n  Bleak House · Charles Dickens · 1853 · 4.5 stars",
    "Reading (1)\n  Mrs Dalloway · Virginia Woolf · 1925 · page 20 of 194", "Read (0)"))
me.act("PUT", f"/books/{bleak}/shelf", shelf="reading")
draw(me, shelfed_shelves, ("Want to read (0)", "Reading (2)", "Bleak House · Charles Dickens · 1853 · 4.5 stars", "Read (0)"))

lines = draw(me, booknook_home, (
    "1. ", "2. ", "3. ", " read it", "Friends:\n  " + sidonie, "review.posted", "Mrs Dalloway · Virginia Woolf · 1925"))
check("Watership Down" not in "\n".join(lines).split("Friends:")[1], "BookNook shows no book of a private review among what friends read")

draw(me, books_details, (
    "Bleak House · Charles Dickens · 1853 · on reading · my 4.5 stars", "On my lists: For winter evenings",
    "@clients · 4.5 stars · Fog everywhere.", "a review that waits", "Board: 0 posts"), bleak)

draw(me, books_friend, (
    "♥ Mrs Dalloway · Virginia Woolf · 1925", f"Lists of Sidonie Leclerc ({url}/media/", "friends:",
    "London in one day · 1 books"), "sidonie")

draw(me, booklib_book, (
    "Bleak House · Charles Dickens · 1853 · on reading · my 4.5 stars", "Theme: Weather (1)", "Folder: Chancery (1)",
    "Note: The opening · Fog up the river."), bleak)

cover = me.get(f"/books/{bleak}")["cover"]["url"]
with urllib.request.urlopen(cover, timeout=30) as answer:
    kind, size = answer.headers.get_content_type(), len(answer.read())
check(kind.startswith("image/") and size > 500, f"{cover} is a picture, not {size} bytes of {kind}")

print("\n".join(drawn + faults))
sys.exit(1 if faults else 0)
