"""What the first page weighs in a new browser, for a stranger: bytes, requests, scripts. Covers are counted apart.

The server leaves compressing to the proxy in front of it (`deploy/proxy`): what comes as it is counts as gzip makes it. It prints besides
when the largest thing of the page is painted, with the processor slowed 4 times: a figure of the machine, which is not judged.
"""

import gzip
import statistics

from addresses import Scene
from browser import Faults, Visitor, arguments, chromium

MOST = {"bytes": 60 * 1024, "requests": 12, "bytes of JavaScript": 15 * 1024}
SLOWED = 4


def weigh(browser, url, faults, path):
    """The weight of the page at `path`, and how often a cover was asked for."""
    visitor = Visitor(browser, url, faults)
    page, answers = visitor.page(), []
    page.on("requestfinished", lambda request: answers.append(request))
    visitor.open(page, path)
    page.wait_for_timeout(500)
    visitor.settled(page)
    weight, covers = dict.fromkeys(MOST, 0), 0
    for request in answers:
        if "/covers/" in request.url or request.url.startswith("data:"):
            covers += 1
            continue
        answer = request.response()
        body = answer.body()
        sizes = request.sizes()
        size = sizes["responseBodySize"] if "content-encoding" in answer.headers else min(len(body), len(gzip.compress(body, 6)))
        weight["bytes"] += size + sizes["responseHeadersSize"]
        weight["requests"] += 1
        if request.resource_type == "script" or "javascript" in answer.headers.get("content-type", ""):
            weight["bytes of JavaScript"] += size
        print(f"  {size:6} of {len(body):6} bytes: {request.resource_type} {request.url}")
    visitor.context.close()
    return weight, covers


def painted(browser, url, faults, path):
    """Milliseconds to the largest paint in a new browser that is slowed."""
    visitor = Visitor(browser, url, faults)
    page = visitor.page()
    visitor.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    visitor.open(page, path)
    page.wait_for_timeout(1000)
    paint = visitor.settled(page)["paint"]
    visitor.context.close()
    return paint


def main():
    asked, faults = arguments(__doc__), Faults()
    scene = Scene(asked.url, asked.owner, asked.readers)
    paths = ["/", scene.fill("/books/{book}"), scene.fill("/threads/{thread}"), "/discover", scene.fill("/@{username}"), "/sign-up"]
    with chromium() as browser:
        for path in paths:
            print(path)
            weight, covers = weigh(browser, asked.url, faults, path)
            print("  together: " + ", ".join(f"{count} {what}" for what, count in weight.items()) + f"; {covers} covers besides")
            for what, most in MOST.items():
                faults.check(weight[what] <= most, path, f"takes {weight[what]} {what}, {most} at most")
            faults.check(weight["requests"] >= 2, path, "brings no style: the proof sees nothing")
            paints = [painted(browser, asked.url, faults, path) for _ in range(9 if asked.full else 1)]
            faults.check(min(paints) > 0, path, "paints nothing")
            print(f"  largest paint, slowed {SLOWED} times: {statistics.median(paints):.0f} ms, median of {len(paints)}")
    faults.end(f"{len(paths)} pages weighed")


main()
