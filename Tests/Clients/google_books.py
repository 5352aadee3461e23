"""Asks a server at the address given as if it were Google Books; prints what is wrong and exits with 1, or nothing and 0."""

import sys
import urllib.request

import googleapiclient.discovery
import googleapiclient.errors
import isbnlib
from isbnlib import _goob

url = sys.argv[1].rstrip("/")
faults = []


def check(holds, what):
    if not holds:
        faults.append(what)


# Google's client, with the description of the API that it ships; only the host is another.
books = googleapiclient.discovery.build(
    "books", "v1", static_discovery=True, developerKey="any", cache_discovery=False,
    client_options={"api_endpoint": url + "/"})

found = books.volumes().list(
    q='intitle:dune inauthor:"Frank Herbert"', maxResults=5, startIndex=0, orderBy="relevance", printType="BOOKS",
    projection="LITE", langRestrict="en").execute()
check(found["kind"] == "books#volumes", "the list says what it is")

found = books.volumes().list(q='intitle:dune inauthor:"Frank Herbert"').execute()
check(found["totalItems"] >= 1, "a title and an author find the book")
volume = found["items"][0]
info = volume["volumeInfo"]
check(info["title"] == "Dune" and info["authors"] == ["Frank Herbert"], "the book is the one that was asked for")
for field in (
        "title", "subtitle", "authors", "publisher", "publishedDate", "description", "industryIdentifiers", "pageCount",
        "categories", "averageRating", "ratingsCount", "imageLinks", "language", "previewLink", "infoLink"):
    check(info.get(field) is not None, field + " is there")
check(set(info["imageLinks"]) == {"smallThumbnail", "thumbnail", "small", "medium", "large", "extraLarge"}, "six covers")
check(all(link.startswith(url + "/covers/") for link in info["imageLinks"].values()), "covers are this server's own")

for name, link in info["imageLinks"].items():
    with urllib.request.urlopen(link, timeout=30) as answer:
        image = answer.read()
        check(answer.status == 200 and answer.headers["Content-Type"].startswith("image/"), name + " leads to an image")
        check(image[:3] == b"\xff\xd8\xff" or image[:8] == b"\x89PNG\r\n\x1a\n", name + " is a picture")

one = books.volumes().get(volumeId=volume["id"]).execute()
check(one["volumeInfo"] == info, "a volume by its id is the one of the list")

# Paging as the client does it.
request = books.volumes().list(q="the", maxResults=40)
seen = []
while request is not None and len(seen) < 600:
    page = request.execute()
    items = page.get("items", [])
    seen += [item["id"] for item in items]
    start = len(seen)
    request = books.volumes().list(q="the", maxResults=40, startIndex=start) if items else None
check(len(seen) == len(set(seen)) and len(seen) == min(page["totalItems"], 500), "pages join without gap or repeat")
check(books.volumes().list(q="the", startIndex=501).execute()["items"] == [], "nothing beyond 500 and no error")

for arguments, status in (({"q": "a", "maxResults": 41}, 400), ({"q": ""}, 400)):
    try:
        books.volumes().list(**arguments).execute()
        faults.append(f"{arguments} is refused")
    except googleapiclient.errors.HttpError as error:
        check(error.status_code == status and error.error_details, f"{arguments} is refused in a form that the client reads")
try:
    books.volumes().get(volumeId="zyTCAlFPjgYC").execute()
    faults.append("an unknown volume is not found")
except googleapiclient.errors.HttpError as error:
    check(error.status_code == 404, "an unknown volume is 404")

# isbnlib, whose address of the service is one text.
_goob.SERVICE_URL = _goob.SERVICE_URL.replace("https://www.googleapis.com", url)
record = isbnlib.meta("9780441172719", "goob")
check(record.get("ISBN-13") == "9780441172719" and record.get("Title") == "Dune", f"isbnlib reads the record: {record}")
check(record.get("Authors") == ["Frank Herbert"] and record.get("Year") == "1965", f"isbnlib reads all of it: {record}")
unknown = isbnlib.meta("9791032300824", "goob")
check(not unknown, f"isbnlib finds nothing where there is nothing: {unknown}")

for fault in faults:
    print("not so:", fault)
sys.exit(1 if faults else 0)
