// The one line of a browser to the server's stream, in a shared worker, or in a tab where there are none. A channel
// leads to the tabs. `Sources/Web/Stream/README.md` has the rules of the frames.

// The topics of each tab.
const tabs = new Map();
// Tabs that may lack something.
const late = new Set();
// The last `seq` of each topic.
const kept = new Map();
// Lately: when, the `id` that came with it, and the frame, if it is for tabs.
const heard = [];
let channel, source, timer, isReady, topics = [], silence = 75000, failures = 0;

/** Holds the line of `reader` once nobody else does. */
export function hold(reader) {
    navigator.locks.request("stream:" + reader, () => {
        channel = new BroadcastChannel("stream:" + reader);
        channel.onmessage = ({ data }) => data.tab && join(data);
        channel.postMessage({ isHeld: true });
        return new Promise(() => {});
    });
}
if (self.SharedWorkerGlobalScope) hold(self.name);

const lastID = () => heard.findLast(({ id }) => id)?.id;
const send = (to, frame) => channel.postMessage({ to, frame });

// A tab has what was heard before its page was asked for, at `since`, or what is up to its `cursor`. What came later is
// told again.
function join({ tab, wants, cursor, since }) {
    // A tab holds the lock of its name while it is there.
    if (!tabs.has(tab)) navigator.locks.request(tab, () => tabs.delete(tab));
    tabs.set(tab, wants);
    if (!heard.length) heard.push({ at: Date.now(), id: cursor });
    const place = heard.findLastIndex(({ at, id }) => at < since || (id && id === cursor));
    const start = heard[place]?.id;
    if (start) heard.slice(place + 1).forEach(({ frame }) => frame && send(tab, frame));
    else late.add(tab);
    if (!wants.every((topic) => topics.includes(topic))) connect(start ?? lastID());
    else if (isReady) settle();
}

function settle() {
    isReady = true;
    for (const tab of late) send(tab, { type: "reset" });
    late.clear();
}

function connect(cursor) {
    source?.close();
    isReady = false;
    topics = [...new Set([...tabs.values()].flat())].slice(0, 100);
    for (const topic of kept.keys()) if (!topics.includes(topic)) kept.delete(topic);
    source = new EventSource("/api/v1/stream?" + new URLSearchParams(cursor ? { topics, cursor } : { topics }));
    source.onmessage = hear;
    source.onerror = () => {
        // Else it comes back by itself, from the last `id`, when `retry` says, after a `bye` too.
        if (source.readyState === EventSource.CLOSED) begin();
    };
    watch();
}

// It was refused: for its cursor, for want of room, or because nobody is signed in, as tabs find out.
function begin() {
    heard.length = 0;
    for (const tab of tabs.keys()) late.add(tab);
    channel.postMessage({ frame: { type: "reset" } });
    comeBack();
}

// Later the more often it failed.
function comeBack() {
    source.close();
    watch(Math.min(60000, 500 * 2 ** failures++) * (0.5 + Math.random()));
}

// A connection may be gone without a word: heartbeats tell.
function watch(wait = silence) {
    clearTimeout(timer);
    timer = setTimeout(() => connect(lastID()), wait);
}

function hear({ data, lastEventId: id }) {
    const frame = JSON.parse(data);
    const { type, topic, seq, prev } = frame;
    const last = kept.get(topic);
    watch();
    if (type === "hello") [failures, silence] = [0, 3000 * frame.heartbeat];
    if (type === "subscribed" && frame.is_recovered) kept.set(topic, Math.max(seq, last ?? 0));
    if (type === "reset") kept.set(topic, seq);
    const isBehind = Object.entries(frame.heads ?? {}).some(([name, head]) => head > kept.get(name));
    // The gap rule.
    if (isBehind || prev > last) return comeBack();
    if (prev >= 0 && seq <= last) return;
    if (prev >= 0) kept.set(topic, seq);
    tell(id, ["event", "gated", "reset", "closed", "state"].includes(type) ? frame : undefined);
    if (id && !isReady) settle();
}

function tell(id, frame) {
    if (!id && !frame) return;
    heard.push({ at: Date.now(), id, frame });
    // A page is shown within two minutes after it was asked for.
    while (heard.length > 200 || heard[1]?.at < Date.now() - 120000) heard.shift();
    channel.postMessage({ id, frame });
}
