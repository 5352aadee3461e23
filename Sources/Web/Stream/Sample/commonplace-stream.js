/*
 * Follows topics of a Commonplace server as an event stream, and comes back by itself, without a gap and without
 * anything twice. A module of its own: copy it, or import it from a server's `/docs/stream.js`.
 *
 *     import { follow } from "https://books.example.org/docs/stream.js";
 *
 *     const stream = follow({
 *         server: "https://books.example.org",        // "" where the page is the server's own
 *         token,                                      // of a session, or an access token with `read:stream`
 *         topics: ["thread:42"],                      // 1 to 100
 *         cursor: page.stream_cursor,                 // of the answer that the page shows; from now on without it
 *         on: {
 *             event: (frame) => show(frame.data.post),
 *             gated: (frame) => showPlaceholder(frame.data.post),
 *             reset: (frame) => readAgain(frame.topic),
 *             refused: (status) => signInAgain(status),
 *         },
 *     });
 *     stream.close();
 *
 * `on` has a function for each `type` of frame that the page wants: `event`, `gated`, `skip`, `reset`, `state`, `closed`, `error`,
 * `subscribed` and so on. `refused` is told the HTTP status for which the stream has ended for good: 401 where the session is over,
 * 403 where the page or token may not, 400 for the cursor, 422 for the topics.
 */
export function follow({ server = "", token, topics, cursor, on = {} }) {
    const kept = new Map();             // the last `seq` of each topic
    let source, timer, silence = 75_000, failures = 0, isUnexplained = false, isOver = false;

    // One call. Throws the answer where it is none of success.
    async function ask(method, path, headers) {
        const answer = await fetch(server + path, { method, headers, signal: AbortSignal.timeout(10_000) });
        if (!answer.ok) throw answer;
        return answer;
    }

    // An address of the stream. A ticket opens it once, so each time there is a new one.
    async function address() {
        const answer = await ask("POST", "/api/v1/stream/tickets", { Authorization: "Bearer " + token });
        const query = new URLSearchParams({ topics, ticket: (await answer.json()).ticket });
        if (cursor) query.set("cursor", cursor);
        return "/api/v1/stream?" + query;
    }

    async function open() {
        try {
            // `EventSource` does not say for what it was refused.
            if (isUnexplained) await ask("HEAD", await address(), { Accept: "text/event-stream" });
            isUnexplained = false;
            const path = await address();
            if (isOver) return;
            source = new EventSource(server + path);
            source.onmessage = hear;
            source.onerror = () => {
                isUnexplained = source.readyState === EventSource.CLOSED;
                comeBack();
            };
            watch();
        } catch (answer) {
            // What is no answer says that the server is away. A ticket that ran out on its way is no refusal.
            const { status } = answer;
            const isSpent = status === 401 && !answer.url.endsWith("/tickets");
            if (isOver || isSpent || ![400, 401, 403, 422].includes(status)) {
                return comeBack(1000 * answer.headers?.get("Retry-After") || 0);
            }
            close();
            on.refused?.(status);
        }
    }

    // Once more with a new ticket, from the last cursor: after `pause` milliseconds, and later the more often it failed.
    function comeBack(pause = 0) {
        source?.close();
        clearTimeout(timer);
        if (isOver) return;
        const backoff = Math.min(30_000, 500 * 2 ** failures++) * (0.5 + Math.random() / 2);
        timer = setTimeout(open, Math.max(pause, backoff));
    }

    // A connection may be gone without a word, as after a night's sleep: heartbeats tell.
    function watch() {
        clearTimeout(timer);
        timer = setTimeout(comeBack, silence);
    }

    function hear({ data, lastEventId }) {
        const frame = JSON.parse(data);
        const { type, topic, seq, prev } = frame;
        watch();
        if (type === "hello") {
            failures = 0;
            silence = 3000 * frame.heartbeat;
        } else if (type === "subscribed" && frame.is_recovered) {
            kept.set(topic, Math.max(seq, kept.get(topic) ?? 0));
        } else if (type === "reset") {
            kept.set(topic, seq);
        } else if (type === "closed") {
            topics = topics.filter((other) => other !== topic);
        } else if (type === "heartbeat") {
            if (Object.entries(frame.heads).some(([name, head]) => head > kept.get(name))) return comeBack();
        } else if (prev !== undefined) {
            // The gap rule.
            if (prev > kept.get(topic)) return comeBack();
            if (seq <= kept.get(topic)) return;
            kept.set(topic, seq);
        }
        on[type]?.(frame);
        cursor = lastEventId || cursor;
        if (type === "bye") comeBack(frame.retry_ms);
        if (topics.length === 0) close();
    }

    function close() {
        isOver = true;
        comeBack();
    }

    open();
    return {
        close,
        // From where a later `follow` goes on.
        get cursor() { return cursor; },
    };
}
