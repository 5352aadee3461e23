// What changes by itself: counts, and the list of a page that follows a topic.
import { all, first, isOld, lead, load, make, own, reader, say, words } from "./page.js";

const region = first("[data-live]");
const { live = "inbox", kinds = "", cursor: start } = region?.dataset ?? {};
const hook = `[data-live="${live}"]`;
const tab = crypto.randomUUID();
const channel = new BroadcastChannel("stream:" + reader);
const place = "cursor:" + reader;
let cursor = start ?? sessionStorage[place];
let since = performance.timeOrigin;
let timer, isTouched, isStale, work;

const join = () => channel.postMessage({ tab, cursor, since, wants: ["inbox", live] });
const hold = () => import("./stream.js").then((stream) => stream.hold(reader));
channel.onmessage = ({ data: { isHeld, to = tab, id, frame } }) => {
    if (isHeld) join();
    if (to !== tab) return;
    if (id) [cursor, since] = [sessionStorage[place] = id, Date.now()];
    if (frame) hear(frame);
};
// The lock says that this tab is here.
navigator.locks.request(tab, () => join() ?? new Promise(() => {}));
try {
    new SharedWorker(new URL("stream.js", import.meta.url), { type: "module", name: reader }).onerror = hold;
} catch {
    hold();
}

function hear({ type, topic = live, kind = "", data }) {
    const isHere = topic === live && (!kind || kinds.split(" ").some((one) => kind.startsWith(one)));
    // What was unlocked stands where its placeholder was.
    isTouched ||= region && (isHere || kind === "posts.unlocked");
    if (kind === "notification.new") count("notifications", data.unread_count);
    if (!isTouched && type !== "reset" && !/^(message|conversation)/.test(kind)) return;
    // What many follow is not asked for by all at once.
    timer ||= setTimeout(refresh, /^(inbox|conv)/.test(topic) ? 100 : 300 + 2000 * Math.random());
}

const button = make("button", { className: "button", onclick: () => refresh((isTouched = true)) });
document.addEventListener("visibilitychange", () => isStale && refresh());

/** Brings counts and list to what they are now, one time after the other. `isWanted`: what is new does not wait. */
function refresh(isWanted) {
    work = Promise.resolve(work).then(() => bring(isWanted));
}

async function bring(isWanted) {
    timer = 0;
    isStale = document.hidden;
    if (isStale) return;
    const isWhole = isTouched;
    isTouched = false;
    try {
        // Any page has the counts.
        const page = await (isWhole ? load(own(), hook) : load("/offline"));
        for (const { dataset } of all("[data-n][data-count]", page)) count(dataset.count, dataset.n);
        if (isWhole) merge(page, isWanted);
    } catch {
        if (isOld) return channel.close();
        isTouched ||= isWhole;
        timer = setTimeout(refresh, 10000);
    }
}

function count(name, n) {
    for (const badge of all(`[data-count="${name}"]`)) {
        badge.dataset.n = n;
        badge.textContent = Number(n).toLocaleString(document.documentElement.lang);
    }
}

/** What stands in a list: by the number of the thing, however it is shown, else by class and place. */
function keyed(list) {
    const items = new Map();
    for (const item of list.children) {
        let key = (item.id || first("[id]", item)?.id || item.className).replace(/.*-/, "");
        while (items.has(key)) key += "+";
        if (!first("[data-more]", item)) items.set(key, item);
    }
    return items;
}

/** Without what differs each time. */
const plain = (item) => item.outerHTML.replace(/<time.*?<\/time>|_(key|token)" value="[^"]*/g, "");
const topOf = (item) => item.getBoundingClientRect().top;

/** Somebody reads or writes in it, so it stays as it is. */
function isBusy(item) {
    const isTyped = ({ value, defaultValue }) => value !== defaultValue;
    const selection = getSelection();
    return item.matches(":focus-within") || first("[open]", item) || all("input, textarea", item).some(isTyped)
        || (!selection.isCollapsed && selection.containsNode(item, true));
}

/** Whether the reader looks at where the new comes in a talk, and does not write. */
function isWatched() {
    const { top, bottom } = region.getBoundingClientRect();
    const edge = live.startsWith("thread") ? bottom : top;
    return /^(thread|conv)/.test(live) && edge >= 0 && edge <= innerHeight && !document.activeElement.value;
}

function merge(page, isWanted) {
    const isOpen = isWanted || isWatched();
    const [old, now] = [keyed(region), keyed(first(hook, page))];
    const anchor = [...region.children].find((item) => topOf(item) >= 0);
    const before = anchor && topOf(anchor);
    const came = [];
    let last, waiting = 0;
    for (let [key, item] of now) {
        const node = old.get(key);
        if (!node && !isOpen) {
            waiting += 1;
            continue;
        }
        if (!node) came.push(item);
        else if (isBusy(node) || plain(node) === plain(item)) item = node;
        else node.replaceWith(item);
        if (!node || (isOpen && !isBusy(item))) last ? last.after(item) : region.prepend(item);
        last = item;
    }
    // What a further page has may have been on this one.
    const isCut = first("main [data-more]", page);
    for (const [key, node] of old) {
        const isBehind = last?.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
        if (!now.has(key) && !isBusy(node) && !(isCut && isBehind)) node.remove();
    }
    if (!first("main .pager")) region.parentElement.append(...all("main .pager", page));
    button.textContent = words.new.replace("{n}", waiting);
    if (!waiting) button.remove();
    else if (!button.isConnected) say(button);
    if (!isWanted && anchor?.isConnected) scrollBy(0, topOf(anchor) - before);
    if (isWanted) lead(came[0]);
}
