// The reading room: pages turn by keys and by swiping, the place is remembered, the look changes at once.
import { first } from "./page.js";

const [room, place, look] = ["room", "place", "look"].map((hook) => first(`[data-${hook}]`));

function send(form, how) {
    fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), ...how });
}

function turn(isRight) {
    const isBack = isRight === (room.dataset.direction === "rtl");
    first(`[rel=${isBack ? "prev" : "next"}]`, room)?.click();
}

addEventListener("keydown", ({ key, target, altKey, ctrlKey, metaKey, shiftKey }) => {
    if (altKey || ctrlKey || metaKey || shiftKey || target.closest("input, select, textarea")) return;
    if (/^Arrow(Left|Right)$/.test(key)) turn(key === "ArrowRight");
});

let start;
room.addEventListener("touchstart", ({ touches }) => (start = touches[1] ? undefined : touches[0]), { passive: true });
room.addEventListener("touchend", ({ changedTouches: [end] }) => {
    const [x, y] = [end.clientX - start?.clientX, end.clientY - start?.clientY];
    if (Math.abs(x) > Math.max(60, 2 * Math.abs(y)) && getSelection().isCollapsed) turn(x < 0);
});

addEventListener("pagehide", () => {
    // Who only leafs through has not read it.
    if (place && performance.now() > 2000) send(place, { keepalive: true, headers: { Accept: "application/json" } });
});

look.addEventListener("change", ({ target: { name, value } }) => {
    room.dataset[name] = value;
    send(look, { redirect: "manual" });
});
