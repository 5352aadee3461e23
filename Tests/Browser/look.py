"""Every page of the table, as a stranger and as readers see it, in four widths, light and dark.

Nothing stands out of the screen, lies over another thing or is too small to press; nothing jumps; axe finds nothing against WCAG 2.2 AA;
the keyboard shows where it is; the console and the content security policy are silent, and no other host is asked. Twelve pictures go into
a folder. Without `--full` the seed draws two dozen pages, and one width and light for each.
"""

import pathlib
import random
import urllib.parse

from axe_playwright_python.sync_playwright import Axe

from addresses import ABSENT, Empty, Scene
from browser import Faults, Visitor, arguments, chromium

WIDTHS = (320, 768, 1280, 1920)
LIGHTS = ("light", "dark")
SHIFT = 0.02
# Looks without `--full`.
TWENTIETH = 24
TAGS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}, "resultTypes": ["violations"]}
LAYOUT = (pathlib.Path(__file__).parent / "look.js").read_text()
# Who, path of the table, width, light.
PICTURES = {
    "welcome": ("stranger", "/", 1280, "light"), "book": ("reader", "/books/{book}", 1280, "light"),
    "home": ("reader", "/home", 1280, "dark"), "thread": ("reader", "/threads/{thread}", 1280, "light"),
    "thread-telephone": ("reader", "/threads/{thread}", 320, "dark"), "board": ("reader", "/books/{book}/board", 1280, "light"),
    "profile": ("stranger", "/@{username}", 1280, "light"), "statistics": ("reader", "/@{username}/statistics", 1280, "dark"),
    "reading-room": ("reader", "/read/{ebook}/{page}", 768, "light"), "notebook": ("reader", "/books/{book}/notebook", 1280, "light"),
    "home-telephone": ("reader", "/home", 320, "light"), "settings-privacy": ("reader", "/settings/privacy", 768, "dark"),
}
# Where the keyboard is, what shows it, and whether something lies over all of it.
FOCUS = """() => {
    const at = document.activeElement;
    if (!at || at === document.body) return null;
    const style = getComputedStyle(at);
    const box = at.getClientRects()[0];
    const isFree = ([x, y]) => {
        const top = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
        return !top || at.contains(top) || top.contains(at);
    };
    const draws = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none";
    let isShown = draws(getComputedStyle(at)) || ["::before", "::after"].some((part) => draws(getComputedStyle(at, part)));
    for (let each = at; each && each.localName !== "main" && !isShown; each = each.parentElement) {
        const style = getComputedStyle(each);
        isShown = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    }
    return { name: at.outerHTML.slice(0, 90), isShown,
        isFree: !box || Boolean(at.closest("label")) || [[.5, .5], [.1, .1], [.9, .1], [.1, .9], [.9, .9]].some(isFree) };
}"""


class Looker:
    def __init__(self, browser, url, faults, names):
        self.browser, self.url, self.faults = browser, url, faults
        self.axe, self.states, self.contexts, self.led = Axe(), {}, {}, set()
        for name, reader in names.items():
            visitor = Visitor(browser, url, faults)
            self.states[name] = visitor.sign_in(reader).context.storage_state() if reader else None
            visitor.context.close()

    def page(self, who, width, light):
        """Who looks, and the page that is theirs for all looks of the kind."""
        kind = (who, width == WIDTHS[0], light)
        if kind not in self.contexts:
            visitor = Visitor(
                self.browser, self.url, self.faults, name=f"the {who}", color_scheme=light, reduced_motion="reduce",
                has_touch=width == WIDTHS[0], storage_state=self.states[who])
            self.contexts[kind] = visitor, visitor.page()
        visitor, page = self.contexts[kind]
        page.set_viewport_size({"width": width, "height": 800})
        return visitor, page

    def look(self, who, address, width, light, status=200):
        visitor, page = self.page(who, width, light)
        visitor.open(page, address, status)
        visitor.place = f"{address} ({width} px, {light})"
        landed = urllib.parse.urlsplit(page.url).path
        if landed != urllib.parse.urlsplit(address).path:
            # Strangers are led from most pages to the one for signing in.
            if (who, landed, width, light) in self.led:
                return
            self.led.add((who, landed, width, light))
        if not visitor.faults.check(
                "text/html" in page.evaluate("document.contentType"), visitor.place, "is no page"):
            return
        for fault in page.evaluate(LAYOUT, {"isTouched": width == WIDTHS[0]}):
            visitor.fault(fault)
        for broken in self.axe.run(page, options=TAGS).response["violations"]:
            for node in broken["nodes"][:3]:
                why = " ".join(node["failureSummary"].split())[:250]
                visitor.fault(f"axe, {broken['id']}: {broken['help']}: {node['html'][:150]} {why}")
        seen = visitor.settled(page)
        if seen["shift"] > SHIFT:
            visitor.fault(f"its layout shifts by {seen['shift']:.3f}: {seen['shifts'][:3]}")
        if width in WIDTHS[::2]:
            self.tab(visitor, page)

    def tab(self, visitor, page):
        """The first stops of the keyboard; all of them would be the same things again."""
        page.evaluate("() => { document.activeElement?.blur(); scrollTo(0, 0); }")
        for _ in range(25):
            page.keyboard.press("Tab")
            stop = page.evaluate(FOCUS)
            if not stop:
                break
            if not stop["isShown"]:
                visitor.fault(f"nothing shows that the keyboard is at {stop['name']}")
            if not stop["isFree"]:
                visitor.fault(f"something lies over {stop['name']}, where the keyboard is")


def main():
    asked = arguments(__doc__, "pictures")
    chance, faults = random.Random(asked.seed), Faults()
    scene, empty = Scene(asked.url, asked.owner, asked.readers), Empty(asked.url, asked.seed)
    found = scene.addresses(faults)
    looks = [("stranger", address, 200) for _, address in found]
    # Moderators see what others may not.
    looks += [("reader", address, 403 if path.startswith("/moderation") else 200) for path, address in found]
    looks += [("owner", address, 200) for path, address in found if path.startswith("/moderation")]
    looks += [("newcomer", address, 200) for address in empty.addresses]
    looks += [(who, address, 404) for who in ("stranger", "reader") for address in ABSENT]
    # A made-up address of a query is answered by its page, with what is wrong.
    looks = [(who, address, 422 if "nonsense" in address else status) for who, address, status in looks]
    shapes = [(width, light) for width in WIDTHS for light in LIGHTS]
    count = 0
    if not asked.full:
        looks = chance.sample(looks, TWENTIETH)
    with chromium() as browser:
        looker = Looker(browser, asked.url, faults, {
            "stranger": None, "reader": scene.reader, "owner": scene.owner, "newcomer": empty.reader})
        for who, address, status in looks:
            for width, light in shapes if asked.full else chance.sample(shapes, 1):
                looker.look(who, address, width, light, status)
                count += 1
        folder = pathlib.Path(asked.pictures)
        folder.mkdir(parents=True, exist_ok=True)
        for name, (who, path, width, light) in PICTURES.items():
            visitor, page = looker.page(who, width, light)
            visitor.open(page, scene.fill(path))
            page.evaluate(LAYOUT, {"isTouched": False})
            page.screenshot(path=folder / f"{name}.png")
        where = urllib.parse.urlsplit(asked.url).netloc
    faults.end(f"{count} looks at {len(looks)} pages of {where}, {len(PICTURES)} pictures")


main()
