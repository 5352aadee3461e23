"""Has schemathesis call every operation of a server, as its owner, with what its openapi.json allows and forbids; exits with its status."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

url, count = sys.argv[1].rstrip("/"), sys.argv[2]
seed = os.environ.get("COMMONPLACE_TEST_SEED") or str(random.randrange(1 << 32))
print("seed " + seed)
password = "a long walk home"


def ask(method, path, body=None, token=None):
    request = urllib.request.Request(url + path, None if body is None else json.dumps(body).encode(), method=method)
    if body is not None:
        request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", "Bearer " + token)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {path} answers {error.code}: {error.read().decode()}")


token = ask("POST", "/api/v1/sessions", {"login": "clients", "password": password})["token"]


def me(method, path, body=None):
    return ask(method, "/api/v1" + path, body, token)


# One thing of each kind, so that calls meet more than 404.
book = me("GET", "/books?sort=popularity&limit=1")["items"][0]["id"]
whole = me("GET", f"/books/{book}")
other = ask("POST", "/api/v1/accounts", {
    "username": "other_one", "email": "other@example.org", "email_confirmation": "other@example.org",
    "password": password, "password_confirmation": password})
opened = me("POST", f"/books/{book}/threads", {"title": "The first line", "body": "It is good."})
asked = me("POST", "/me/friend-requests", {"username": "other_one"})
ask("POST", f"/api/v1/me/friend-requests/{asked['id']}/accept", None, other["token"])
library = me("POST", "/me/libraries", {"name": "Home"})["id"]
things = {
    "book": book, "edition": whole["editions"][0]["id"], "author": whole["authors"][0]["id"],
    "thread": opened["thread"]["id"], "post": opened["post"]["id"],
    "review": me("PUT", f"/books/{book}/review", {"body": "Good.", "rating": 4})["id"],
    "list": me("POST", "/me/lists", {"title": "Good ones"})["id"], "library": library,
    "group": me("POST", "/groups", {"name": "Evenings"})["id"],
    "copy": me("POST", f"/libraries/{library}/copies", {"book_id": book})["id"],
    "conversation": me("PUT", "/me/conversations/with/other_one")["id"], "username": "other_one"}
here = pathlib.Path(__file__).parent
environment = os.environ | {"COMMONPLACE_TOKEN": token} | {
    "COMMONPLACE_" + name.upper(): value for name, value in things.items()}
sys.exit(subprocess.run(
    [str(pathlib.Path(sys.executable).parent / "schemathesis"), "--config-file", str(here / "schemathesis.toml"), "run",
     url + "/api/v1/openapi.json", "--url", url, "--seed", seed, "--max-examples", count,
     # The edges of every value are thousands of calls more.
     "--phases", "examples,coverage,fuzzing" if int(count) >= 20 else "examples,fuzzing"], env=environment, cwd=tempfile.mkdtemp()).returncode)
