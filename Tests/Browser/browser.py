"""What the programs beside it share: the browser, the API, what is wrong so far, and what a page must never do."""

import argparse
import contextlib
import json
import os
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

from playwright.sync_api import sync_playwright

# How long something may take that comes by itself. Only a failure costs it.
PATIENCE = 60

# Before any script of a page: what it tries, and how its layout moves.
WATCH = """
window.__seen = { fired: [], violations: [], shift: 0, shifts: [], paint: 0 };
for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = (word) => { __seen.fired.push(name + ":" + word); };
document.addEventListener("securitypolicyviolation", (event) =>
    __seen.violations.push(event.effectiveDirective + " " + event.blockedURI + " " + event.sample));
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
        if (entry.hadRecentInput) continue;
        __seen.shift += entry.value;
        for (const source of entry.sources) if (source.node) __seen.shifts.push(
            (source.node.outerHTML ?? source.node.textContent).slice(0, 80));
    }
}).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => { __seen.paint = list.getEntries().at(-1).startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });
"""


class Faults:
    """What is wrong, each with where; printed as it is found."""

    def __init__(self):
        self.count = 0
        self.said = set()

    def add(self, where, what):
        line = f"{where}: {what}"
        if line not in self.said:
            self.said.add(line)
            self.count += 1
            print("not so:", line[:600], flush=True)

    def check(self, holds, where, what):
        if not holds:
            self.add(where, what)
        return bool(holds)

    def end(self, done):
        print(f"{done}; {self.count} faults")
        sys.exit(1 if self.count else 0)


class Api:
    """A reader who calls the API, as apps do."""

    def __init__(self, url, name, word=None):
        self.url, self.name, self.token = url, name, None
        self.word = word or "seven green umbrellas"
        if word:
            self.token = self.act("POST", "/sessions", login=name, password=word)["token"]
        else:
            mail = name + "@example.org"
            self.token = self.act(
                "POST", "/accounts", username=name, email=mail, email_confirmation=mail, password=self.word,
                password_confirmation=self.word)["token"]

    def send(self, method, path, data=None, kind="application/json"):
        """The answer's JSON. Raises `urllib.error.HTTPError` where the call is refused."""
        request = urllib.request.Request(self.url + "/api/v1" + path, data, method=method)
        request.add_header("Content-Type", kind)
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        if method == "POST":
            request.add_header("Idempotency-Key", str(uuid.uuid4()))
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null")

    def get(self, path, **query):
        return self.send("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))

    def act(self, method, path, **body):
        try:
            return self.send(method, path, json.dumps(body).encode())
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path} answers {error.code}: {error.read().decode()[:400]}") from error

    def book(self, title):
        """The id of the book with this title."""
        return next(item["id"] for item in self.get("/search", title=title, limit=5)["items"] if item["title"] == title)


def arguments(about, *more):
    """What was asked for; each of `more` is the name of an option that takes a text."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("url")
    parser.add_argument("--owner", required=True)
    parser.add_argument("--readers", nargs=2, required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    parser.add_argument("--full", action="store_true")
    for option in more:
        parser.add_argument("--" + option, required=True)
    asked = parser.parse_args()
    asked.url = asked.url.rstrip("/")
    print(f"seed {asked.seed}", flush=True)
    return asked


@contextlib.contextmanager
def chromium():
    """A browser that reaches this machine and nothing else."""
    with sync_playwright() as driver:
        # Its own sandbox needs rights that neither root nor a container has; its pages are ours.
        browser = driver.chromium.launch(executable_path=os.environ["COMMONPLACE_BROWSER"], args=[
            "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"])
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """Somebody with a browser of their own: a context, and an eye on each of its pages."""

    def __init__(self, browser, url, faults, name="a stranger", scripts=True, **options):
        self.url, self.faults, self.name = url, faults, name
        self.host = urllib.parse.urlsplit(url).netloc
        self.context = browser.new_context(base_url=url, java_script_enabled=scripts, **options)
        self.context.set_default_timeout(PATIENCE * 1000)
        if scripts:
            self.context.add_init_script(WATCH)
        self.scripts = scripts
        self.context.on("request", self._asks)
        self.context.on("console", self._says)
        self.context.on("weberror", lambda error: self.fault("a script failed: " + str(error.error)))
        self.context.on("dialog", self._opens)
        # What is on its way to be wrong: an answer or a lost network that is meant.
        self.expects = []
        self.place = ""

    def fault(self, what):
        self.faults.add(f"{self.name} at {self.place}", what)

    def _asks(self, request):
        parts = urllib.parse.urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != self.host:
            self.fault("asks another host: " + request.url)

    def _says(self, message):
        if message.type == "error" and not any(word in message.text for word in self.expects):
            self.fault("the console says: " + message.text)

    def _opens(self, dialog):
        if dialog.type != "beforeunload":
            self.fault("a dialog opens: " + dialog.message)
        dialog.accept()

    def page(self, path=None, **wanted):
        page = self.context.new_page()
        if path:
            self.open(page, path, **wanted)
        return page

    def open(self, page, path, status=200):
        """Leads a page to a path of the server. The answer may be another page, where the path leads on."""
        self.place = path
        self.expects = [f"status of {status}"] if status >= 400 else []
        answer = page.goto(path, wait_until="load")
        if answer.status != status:
            self.fault(f"{path} answers {answer.status} and not {status}")
        return answer

    def settled(self, page):
        """What the page did, once nothing is on its way."""
        page.evaluate("async () => { await document.fonts.ready; await new Promise((done) => setTimeout(done, 60)); }")
        seen = page.evaluate("window.__seen")
        for what in seen["violations"]:
            self.fault("breaks its content security policy: " + what)
        for what in seen["fired"]:
            self.fault("runs what nobody meant to run: " + what)
        return seen

    def sign_in(self, reader):
        """By the form, as everybody does."""
        page = self.page("/sign-in")
        send(page, 'form[action="/sign-in"]', {"login": reader.name, "password": reader.word})
        page.wait_for_url("**/home")
        page.close()
        self.name = reader.name
        return self


def send(page, form, fields=None, button=None):
    """Fills a form by the names of its fields and presses its button, the first one or that which `button` selects."""
    found = page.locator(form).first
    found.wait_for(state="attached")
    for fold in reversed(found.locator("xpath=ancestor::details[not(@open)]").all()):
        fold.locator("xpath=./summary").click()
    for name, value in (fields or {}).items():
        field = found.locator(f'[name="{name}"]').first
        kind = field.get_attribute("type")
        if kind == "radio":
            found.locator(f'[name="{name}"][value="{value}"]').check()
        elif kind == "range":
            # As a reader does who has neither mouse nor finger.
            field.focus()
            page.keyboard.press("Home")
            step = int(field.get_attribute("step") or 1)
            for _ in range(int(value) // step):
                page.keyboard.press("ArrowRight")
        elif field.evaluate("(field) => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    (found.locator(button) if button else found.locator("button:not([name=_preview])")).first.click()


def until(holds, what, seconds=PATIENCE, pause=None):
    """Asks until it holds, and gives what it gave. Raises `AssertionError` after so many seconds."""
    end = time.monotonic() + seconds
    while True:
        given = holds()
        if given:
            return given
        if time.monotonic() > end:
            raise AssertionError(what)
        if pause:
            pause(200)
        else:
            time.sleep(0.2)
