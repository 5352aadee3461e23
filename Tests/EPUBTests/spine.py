# The words of a book's spine, read without any code of ours: one line for each document, white space removed.
# usage: spine.py book.epub
import re, sys, zipfile, posixpath, urllib.parse
import xml.etree.ElementTree as tree
from html.parser import HTMLParser

HIDDEN = set("""head title script style iframe frame frameset applet embed template audio video source track input select
    textarea button option optgroup datalist output progress meter map colgroup annotation annotation-xml case svg""".split())
VOID = set("area base br col embed hr img input link meta source track wbr".split())


class Words(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.hidden, self.words = [], []

    def handle_starttag(self, tag, attributes):
        tag = tag.split(":")[-1]
        if self.hidden:
            if tag not in VOID:
                self.hidden.append(tag)
        elif tag not in VOID and (tag in HIDDEN or any(name == "hidden" for name, _ in attributes)):
            self.hidden.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        tag = tag.split(":")[-1]
        if tag in self.hidden:
            while self.hidden.pop() != tag:
                pass

    def handle_data(self, data):
        if not self.hidden:
            self.words.append(data)


book = zipfile.ZipFile(sys.argv[1])
local = lambda element: element.tag.split("}")[-1]
container = tree.fromstring(book.read("META-INF/container.xml"))
name = next(e.get("full-path") for e in container.iter() if local(e) == "rootfile")
package = tree.fromstring(book.read(name))
items = {e.get("id"): e for e in package.iter() if local(e) == "item"}
references = [e for e in package.iter() if local(e) == "itemref"]
for e in sorted(references, key=lambda e: e.get("linear") == "no"):
    item = items[e.get("idref")]
    words = Words()
    if item.get("media-type") != "image/svg+xml":
        path = posixpath.join(posixpath.dirname(name), urllib.parse.unquote(item.get("href")))
        # Its parser takes what stands in `script` and `style` for text of its own kind.
        words.feed(book.read(path).decode("utf-8-sig"))
        words.close()
    print(re.sub(r"\s+", "", "".join(words.words)))
