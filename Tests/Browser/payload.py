"""Words of readers that want to run a script, on every page: nothing of them runs, loads or becomes a part of the page.

They stand in names, titles, texts, places, cookies and addresses. `--payloads` is a file with a JSON list of them. The seed draws which of
them stand where, and without `--full` few are drawn; each text holds several.
"""

import json
import random
import urllib.error
import urllib.parse

from addresses import PICTURE, Scene
from browser import Faults, Visitor, arguments, chromium

# Parts that no page of ours has, and attributes that run or load.
STRANGE = """() => {
    const strange = [];
    const own = new Set([location.origin]);
    for (const element of document.querySelectorAll("*")) {
        const tag = "<" + element.localName + "> in " + (element.parentElement?.outerHTML ?? "").slice(0, 120);
        if (element.matches("iframe, object, embed, base, applet, frame, portal, math, style, meta[http-equiv]")) strange.push(tag);
        if (element.localName === "script" && !(element.src && own.has(new URL(element.src).origin))
            && element.type !== "application/ld+json") strange.push(tag);
        for (const { name, value } of element.attributes) {
            if (name.startsWith("on") || name === "style" || name === "srcdoc") strange.push(name + " of " + tag);
            if (!["href", "src", "action", "formaction", "xlink:href", "poster", "background", "data"].includes(name)) continue;
            let address;
            try { address = new URL(value, document.baseURI); } catch { continue; }
            const isLink = element.localName === "a" && name === "href";
            const allowed = isLink ? ["http:", "https:", "mailto:"] : ["http:", "https:"];
            if (!allowed.includes(address.protocol) || !isLink && !own.has(address.origin)) {
                strange.push(name + "=" + value.slice(0, 60) + " of " + tag);
            }
        }
    }
    // What waits for a hand.
    for (const element of document.querySelectorAll("main *")) {
        for (const kind of ["mouseover", "mouseenter", "pointerover", "focus", "toggle", "wheel"]) element.dispatchEvent(new Event(kind));
    }
    return strange;
}"""
QUERIES = ("q", "then", "sort", "kind", "cursor", "invitation", "token", "target", "title", "parent_id", "quoted_id", "theme_id", "year")


class Writer:
    """Puts payloads wherever the API takes words."""

    def __init__(self, scene, payloads, chance):
        self.scene, self.payloads, self.chance = scene, payloads, chance
        self.taken = self.refused = 0

    def act(self, who, method, path, **body):
        """What the API says; `None` where it does not take these words."""
        try:
            answer = who.send(method, path, json.dumps(body).encode())
        except urllib.error.HTTPError as error:
            # Enough for a day, which a full proof asks of some calls.
            if error.code == 429:
                return None
            # Words that hold what no such text may hold.
            if error.code not in (409, 422):
                raise RuntimeError(f"{method} {path} answers {error.code}: {error.read().decode()[:400]}") from error
            self.refused += 1
            return None
        self.taken += 1
        return answer or {}

    def words(self, most):
        """Some payloads, each in a line of its own, in so many characters."""
        text = ""
        for payload in self.chance.sample(self.payloads, min(40, len(self.payloads))):
            if len((text + payload).encode()) < most - 2:
                text += payload + "\n\n"
        return text

    def word(self, most):
        return self.chance.choice([payload for payload in self.payloads if len(payload.encode()) <= most])

    def write(self, rounds):
        scene, book = self.scene, self.scene.book
        reader, friend, owner = scene.reader, scene.friend, scene.owner
        for _ in range(rounds):
            for who in (reader, friend):
                self.act(who, "PATCH", "/me", name=self.word(50))
                self.act(who, "PATCH", "/me", bio=self.words(450))
                self.act(who, "PUT", f"/books/{book}/review", rating=3, body=self.words(3000))
                post = self.act(who, "POST", f"/threads/{scene.thread}/posts", body=self.words(3000), scope="free")
                other = friend if who is reader else reader
                if post:
                    self.act(other, "POST", "/reports", target="post:" + post["post"]["id"], category="other", text=self.words(450))
                self.act(who, "POST", f"/conversations/{scene.values['conversation']}/messages", body=self.words(1900))
            self.act(reader, "POST", f"/books/{book}/threads", title=self.word(190), body=self.words(3000), scope="free")
            self.act(reader, "PATCH", "/posts/" + scene.posts[-1], body=self.words(3000))
            self.act(reader, "PATCH", "/lists/" + scene.values["list"], title=self.word(90), description=self.words(900))
            self.act(reader, "POST", "/me/lists", title=self.word(90), visibility="public")
            self.act(reader, "PUT", f"/lists/{scene.values['list']}/books/{book}", note=self.word(190))
            self.act(reader, "PUT", f"/books/{book}/shelf", shelf="reading", note=self.words(1000))
            # A place: what a device and a bookmark are called.
            self.act(reader, "PUT", f"/books/{book}/position", device=self.word(40), percent=20)
            self.act(reader, "POST", f"/books/{book}/bookmarks", percent=5, label=self.word(90))
            self.act(reader, "POST", f"/books/{book}/folders", name=self.word(90))
            self.act(
                reader, "POST", f"/books/{book}/notes", title=self.word(190), theme_names=[self.word(50)], place={"percent": 5},
                items=[{"kind": "text", "body": self.words(1900)}, {"kind": "quote", "body": self.words(1900)}])
            for changed in ({"title": self.word(190)}, {"subtitle": self.word(190)}, {"description": self.words(1900)},
                            {"authors": [self.word(90)]}, {"series": [{"name": self.word(90), "position": "1"}]},
                            {"subjects": [self.word(60)]}):
                self.act(owner, "PATCH", f"/books/{book}", reason="A proof.", **changed)
            self.act(owner, "POST", "/books", title=self.word(190), authors=[self.word(90)], kind="book", is_confirmed=True)
            # Found again by who searches for the same.
            reader.get("/search", q=self.word(90))
        photo = reader.send("POST", f"/books/{book}/photos", PICTURE, "image/png")
        self.act(reader, "PATCH", f"/photos/{photo['id']}", alt=self.word(190), comment=self.words(900), words=self.words(900))


def baked(payload):
    """What of it a cookie can hold."""
    return "".join(sign for sign in payload if sign.isascii() and sign.isprintable() and sign not in ';,"\\ ')


def main():
    asked = arguments(__doc__, "payloads")
    chance, faults = random.Random(asked.seed), Faults()
    with open(asked.payloads, encoding="utf-8") as file:
        payloads = [payload for payload in json.load(file) if "\0" not in payload]
    faults.check(len(payloads) >= 300, asked.payloads, f"has only {len(payloads)} payloads")
    scene = Scene(asked.url, asked.owner, asked.readers)
    writer = Writer(scene, payloads, chance)
    rounds = 60 if asked.full else 4
    writer.write(rounds)
    faults.check(
        writer.taken > 4 * writer.refused and writer.taken > 15 * rounds, "the API", f"takes {writer.taken} and refuses {writer.refused}")
    # The book has other authors and another series now.
    book = scene.reader.get("/books/" + scene.book)
    scene.values["author"] = book["authors"][0]["id"]
    scene.values["series"] = book["series"][0]["id"]
    pages, shown = scene.addresses(faults), 0
    with chromium() as browser:
        visitors = [Visitor(browser, asked.url, faults)] + [
            Visitor(browser, asked.url, faults).sign_in(reader) for reader in (scene.reader, scene.owner)]
        for visitor in visitors:
            page = visitor.page()
            for number, (path, address) in enumerate(pages if asked.full else chance.sample(pages, len(pages) // 10)):
                looks = [address]
                # In the address and in cookies, as somebody's link or another program on the same host may set them.
                for payload in chance.sample(payloads, 5 if asked.full else 1):
                    asks = {name: payload for name in chance.sample(QUERIES, 3)} | {"q": payload}
                    looks.append(address.split("?")[0] + "?" + urllib.parse.urlencode(asks))
                if number % (1 if asked.full else 4) == 0:
                    looks.append("/" + urllib.parse.quote(chance.choice(payloads), safe=""))
                for look in looks:
                    visitor.context.add_cookies([
                        {"name": name, "value": baked(chance.choice(payloads)), "url": asked.url} for name in ("theme", "look")])
                    visitor.place = look
                    # Whatever status it has, it is shown.
                    visitor.expects = ["status of 4"]
                    answer = page.goto(look, wait_until="load")
                    faults.check(answer.status < 500, look[:300], f"answers {answer.status}")
                    for strange in page.evaluate(STRANGE):
                        visitor.fault("has a strange part: " + strange)
                    visitor.settled(page)
                    shown += 1
    faults.end(f"{shown} looks at {len(pages)} pages, {writer.taken} texts taken and {writer.refused} refused")


main()
