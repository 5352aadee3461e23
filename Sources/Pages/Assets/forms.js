// What forms do beyond being sent: marks that show at once, drafts, fields that follow each other.
import { all, first, load, make, own, reader, say, words } from "./page.js";

const marks = "[data-shelf], [data-rate], .reactions";
const sent = new WeakSet();

document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    // The next reader of this browser finds none of what was typed.
    if (form.action.endsWith("/sign-out")) forget();
    // A double click sends once.
    if (sent.has(form)) return event.preventDefault();
    sent.add(form);
    setTimeout(() => sent.delete(form), 3000);
    const field = first("[data-draft]", form);
    if (field) sessionStorage.sent = JSON.stringify([keyOf(field), location.href.split("#")[0]]);
    if (!form.matches(marks)) return;
    event.preventDefault();
    mark(form, event.submitter);
});

function forget() {
    for (const key of Object.keys(localStorage)) if (key.startsWith("draft:")) localStorage.removeItem(key);
}

/** What shows a mark: the form, or the stars around it. */
const shown = (form) => form?.closest(".rate") ?? form;

async function mark(form, button) {
    const body = new URLSearchParams(new FormData(form));
    if (button.name) body.append(button.name, button.value);
    const before = shown(form).cloneNode(true);
    const place = all("button", shown(form)).indexOf(button);
    const action = form.getAttribute("action");
    press(form, button);
    let after = before;
    try {
        const headers = { Accept: "application/json" };
        const answer = await fetch(button.getAttribute("formaction") ?? action, { method: "POST", headers, body, keepalive: true });
        if (answer.ok) after = shown(form);
        else say((await answer.json()).detail);
    } catch {
        say(words.failed);
    }
    // Taken or not, the page has how it is now.
    const isSame = (other) => other.getAttribute("action") === action;
    const page = await load(own()).catch(() => {});
    after = (page && shown(all(marks, page).find(isSame))) ?? after;
    const hadFocus = shown(form).matches(":focus-within");
    shown(form).replaceWith(after);
    if (hadFocus) all("button", after)[place]?.focus();
}

function press(form, button) {
    const mine = first(".mine", button);
    if (form.matches("[data-rate]")) first("svg svg", form.parentElement).setAttribute("width", button.value);
    else if (form.matches("[data-shelf]")) for (const one of all("button", form)) one.ariaPressed = one === button;
    else if (mine) mine.remove();
    else button.append(make("span", { className: "mine" }));
}

const percent = new Intl.NumberFormat(document.documentElement.lang, { style: "percent" });
const tell = (output) => (output.value = percent.format(document.getElementById(output.htmlFor).value / 10000));
all("output[for]").forEach(tell);

document.addEventListener("input", ({ target }) => {
    const { chooses, draft } = target.dataset;
    if (chooses) first(`[type=radio][value=${chooses}]`, target.form).checked = true;
    all(`output[for="${target.id}"]`).forEach(tell);
    if (draft) localStorage[keyOf(target)] = target.value;
});

for (const field of all("[data-time-zone]")) {
    // UTC stands for nothing chosen.
    field.value = field.value.replace(/^(UTC)?$/, Intl.DateTimeFormat().resolvedOptions().timeZone);
}

// A form that was taken leads to another page; one that was refused, or did not arrive, does not.
const keyOf = (field) => `draft:${reader}:${field.dataset.draft}`;
const [key, from] = JSON.parse(sessionStorage.sent ?? "[]");
const isLed = performance.getEntriesByType("navigation")[0].type === "navigate" && document.referrer === from;
sessionStorage.removeItem("sent");
if (isLed && !location.pathname.startsWith("/do/")) localStorage.removeItem(key);
for (const field of all("[data-draft]")) field.value ||= localStorage[keyOf(field)] ?? "";
