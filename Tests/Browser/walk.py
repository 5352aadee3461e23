"""Two readers walk through the pages, with scripts and without.

Each signs up, finds a book although its title is mistyped, and puts it on a shelf. The first reads on and writes about what lies ahead of
the second. No word of it goes to the browser of the second, who then reads on and sees it: with scripts the open page shows it by itself,
without them when it is loaded again. Then the network of the second is lost while the first writes on, and nothing is missed. With `--full`
it is lost for 20 s. At the end the second signs out in another tab: the open page says that it is old, and loses nothing that is typed in it.
"""

from browser import Api, Faults, Visitor, arguments, chromium, send, until
from network import Network

MISTYPED, TITLE = "Pride and Prejudise", "Pride and Prejudice"
REPLY = 'form[action^="/do/POST/threads/"][action$="/posts"]'
WORD = "a long walk home"


class Walk:
    def __init__(self, browser, asked, faults, scripts):
        self.faults, self.scripts, self.asked = faults, scripts, asked
        self.where = "the walk " + ("with scripts" if scripts else "without scripts")
        kind = "s" if scripts else "w"
        self.network = Network(asked.url)
        self.ann = Visitor(browser, asked.url, faults, f"ann_{kind}{asked.seed}", scripts)
        self.ben = Visitor(browser, self.network.url, faults, f"ben_{kind}{asked.seed}", scripts)

    def check(self, holds, what):
        return self.faults.check(holds, self.where, what)

    def sign_up(self, visitor):
        page = visitor.page("/")
        page.locator('a[href="/sign-up"]').first.click()
        page.wait_for_url("**/sign-up")
        form, mail = 'form[action="/sign-up"]', visitor.name + "@example.org"
        visitor.expects = ["status of 422"]
        send(page, form, {"username": visitor.name, "email": mail, "email_confirmation": "x" + mail,
                          **dict.fromkeys(self._words(page, form), WORD)})
        fault = page.locator('[name="email_confirmation"] ~ .problem:not(:empty)')
        fault.first.wait_for()
        self.check(page.locator('[name="username"]').input_value() == visitor.name, "a refused form loses what was typed")
        self.check(page.locator('[name="email_confirmation"][aria-invalid="true"]').count(), "the field does not say that it is wrong")
        send(page, form, {"email_confirmation": mail, **dict.fromkeys(self._words(page, form), WORD)})
        page.wait_for_url("**/home")
        visitor.expects = []
        return page

    @staticmethod
    def _words(page, form):
        return [field.get_attribute("name") for field in page.locator(form + " input[type=password]").all()]

    def find(self, page, visitor):
        """From wherever the page is to the book, by a title that is mistyped."""
        page.locator("#find").fill(MISTYPED)
        page.locator("#find").press("Enter")
        page.wait_for_url("**/search?*")
        link = page.locator("main .book .title a").first
        link.wait_for()
        self.check(link.inner_text() == TITLE, f"“{MISTYPED}” finds “{link.inner_text()}”")
        link.click()
        page.wait_for_url("**/books/*")
        visitor.place = page.url

    def shelve(self, page):
        # With scripts the mark is there before the answer is.
        with page.expect_response("**/do/PUT/books/*/shelf"):
            send(page, "form.shelf", button='[name="shelf"][value="reading"]')
        page.locator('form.shelf [value="reading"][aria-pressed="true"]').wait_for()
        page.reload()
        self.check(page.locator('form.shelf [value="reading"][aria-pressed="true"]').count(), "the shelf is forgotten")

    @staticmethod
    def read_on(page, percent):
        send(page, 'form[action$="/position"]:has([name="percent"])', {"percent": str(percent)})
        page.locator(f'main progress[value="{percent * 100}"]').first.wait_for()

    def open_thread(self, page, title, body):
        """From the book's page; leaves the page at the thread."""
        page.locator('main a[href$="/board"]').first.click()
        page.wait_for_url("**/board")
        send(page, 'form[action$="/threads"]', {"title": title, "body": body, "scope": "free"})
        page.wait_for_url("**/threads/*")
        page.locator("main h1", has_text=title).wait_for()

    def write(self, page, body, twice=False, **fields):
        """A reply in the thread that the page shows."""
        if twice:
            page.locator(REPLY + ' [name="body"]').fill(body)
            page.locator(REPLY + ' [name="scope"][value="free"]').check()
            page.locator(REPLY + " button:not([name=_preview])").first.dblclick()
        else:
            send(page, REPLY, {"body": body, **(fields or {"scope": "free"})})
        page.locator("main .post", has_text=body).first.wait_for()

    def appears(self, page, body):
        """It comes by itself, or behind a button that says that there is something new; without scripts by asking again."""
        post = page.locator("main .post", has_text=body)

        def is_there():
            if not self.scripts:
                page.reload()
            elif page.locator("[data-toast] button:visible").count():
                page.locator("[data-toast] button:visible").first.click()
            return post.count() and post.first.is_visible()

        until(is_there, f"{self.where}: “{body}” does not appear at {page.url}", pause=page.wait_for_timeout)
        self.check(post.count() == 1, f"“{body}” is there {post.count()} times")

    def go(self):
        title, secret = f"Shades of Pemberley {self.asked.seed}", f"she-says-yes-{self.asked.seed}"
        ann, ben = self.sign_up(self.ann), self.sign_up(self.ben)
        for page, visitor in ((ann, self.ann), (ben, self.ben)):
            self.find(page, visitor)
            self.shelve(page)
        book = ann.url
        self.read_on(ann, 70)
        self.open_thread(ann, title, "Who has been there?")
        self.lose_nothing(ann)
        self.write(ann, "He asks again and " + secret, **{"scope": "upto", "scope.upto": "6000"})
        self.write(ann, "Said once.", twice=True)

        # From the board, as a reader comes there.
        ben.locator('main a[href$="/board"]').first.click()
        ben.locator("main a", has_text=title).first.click()
        ben.locator("main h1", has_text=title).wait_for()
        ben.locator("main .gated").wait_for()
        self.check(ben.locator("main .post", has_text="Said once.").count() == 1, "a double click writes two posts")
        for path in ("/home", "/feed", "/notifications", "/search?q=asks+again", f"/@{self.ann.name}"):
            self.ben.page(path).close()
        self.check(self.network.has_carried(title), "the proof cannot read what goes to the browser")
        self.check(not self.network.has_carried(secret), "what lies ahead of the reader goes to the browser")
        ben.evaluate("window.mark = 1")
        other = self.ben.page(book.removeprefix(self.asked.url))
        self.read_on(other, 65)
        self.appears(ben, secret)
        self.check(not ben.locator("main .gated").count(), "what is reached still waits")
        if self.scripts:
            self.follow(ann, ben, other)
        known = Api(self.asked.url, self.ann.name, WORD).get("/me/shelves/reading")["items"]
        self.check([entry["book"]["title"] for entry in known] == [TITLE], f"on the shelf is {known}")
        for page, visitor in ((ann, self.ann), (ben, self.ben)):
            visitor.place = "the end"
            if self.scripts:
                visitor.settled(page)
            if self.scripts and visitor is self.ben:
                self.end_elsewhere(page, visitor)
            else:
                send(page, 'form[action="/sign-out"]')
                page.wait_for_url(visitor.url + "/")
            page.goto("/home")
            self.check("/sign-in" in page.url, "who signed out is still signed in")

    def lose_nothing(self, page):
        """A chapter without its number cannot be."""
        visitor, body = self.ann, "What is typed stays."
        visitor.expects = ["status of 422"]
        send(page, REPLY, {"body": body, "scope": "chapter"})
        page.locator("#scope-fault:not(:empty)").wait_for()
        self.check(page.locator(REPLY + ' [name="body"]').input_value() == body, "a refused reply loses what was typed")
        visitor.expects = []

    def end_elsewhere(self, page, visitor):
        """The session of an open page ends in another tab."""
        body = "Half a thought."
        page.locator(REPLY + ' [name="body"]').fill(body)
        elsewhere = visitor.page("/settings")
        visitor.expects = ["status of 401", "status of 403"]
        send(elsewhere, 'form[action="/sign-out"]')
        elsewhere.wait_for_url(visitor.url + "/")
        page.locator("[data-toast] a").wait_for()
        self.check(page.locator(REPLY + ' [name="body"]').input_value() == body, "an old page loses what was typed")
        with page.expect_response("**/do/POST/threads/*/posts") as answered:
            send(page, REPLY, {"scope": "free"})
        self.check(answered.value.status == 403, f"a form of an ended session is answered {answered.value.status}")
        page.locator("main", has_text=body).wait_for()
        self.check(page.locator('main a[href^="/sign-in"]').count(), "the page does not say how to go on")
        visitor.expects = []

    def follow(self, ann, ben, other):
        """What happens elsewhere comes by itself, with a loss of the network in between."""
        self.write(ann, "While you look.")
        self.appears(ben, "While you look.")
        streams = until(self.network.streams, f"{self.where}: there is no stream")
        self.check(streams == 1, f"a browser with two pages has {streams} streams")
        badge = ben.locator('[data-count="notifications"]').first
        before = badge.text_content()

        self.ben.expects = ["ERR_"]
        self.network.lose()
        missed = [f"Missed {number}, @{self.ben.name}." for number in range(1, 4)]
        for body in missed:
            self.write(ann, body)
        ben.wait_for_timeout(20_000 if self.asked.full else 4_000)
        self.check(not self.network.streams(), "the network was never lost")
        self.network.restore()
        for body in missed:
            self.appears(ben, body)
        shown = ben.locator("main .post").all_inner_texts()
        places = [next(place for place, text in enumerate(shown) if body in text) for body in missed]
        self.check(places == sorted(places), f"posts come in the order {places}")
        self.write(ann, "And after that.")
        self.appears(ben, "And after that.")
        until(lambda: badge.text_content() != before, f"{self.where}: the count of notifications stays {before}",
              pause=ben.wait_for_timeout)
        until(lambda: self.network.streams() == 1, f"{self.where}: {self.network.streams()} streams after the loss")
        self.check(ben.evaluate("window.mark") == 1, "the page was loaded again")
        self.ben.expects = []
        other.close()


def main():
    asked, faults = arguments(__doc__), Faults()
    with chromium() as browser:
        for scripts in (True, False):
            walk = Walk(browser, asked, faults, scripts)
            try:
                walk.go()
            except Exception as error:  # The other walk is still worth its while.
                faults.add(walk.where, f"{type(error).__name__}: {str(error)[:500]}")
    faults.end("two walks")


main()
