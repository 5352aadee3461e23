// What every page has: its theme, short notices, and the other modules where a page has use for them.
export const all = (hook, where = document) => [...where.querySelectorAll(hook)];
export const first = (hook, where = document) => where.querySelector(hook);
export const make = (name, properties) => Object.assign(document.createElement(name), properties);
export const { reader } = document.body.dataset;

const root = document.documentElement;
const toast = first("[data-toast]");
/** Words in the page's language: `new`, `failed`, `old`, `reload`. */
export const words = toast.dataset;
/** The site has other files by now, or another reader, or the page is gone. */
export let isOld = false;

export function say(...parts) {
    if (!isOld) toast.replaceChildren(...parts);
}

/** This page's address. A form that was refused stands at the address where it was sent. */
export function own() {
    const from = location.pathname.startsWith("/do/") && first("[name=_from]");
    return from ? from.value : location.pathname.replace(/^\/+/, "/") + location.search;
}

/** Leads the reader to what came where they asked for it. */
export function lead(item) {
    if (item) item.tabIndex = -1;
    item?.focus();
}

/** The page at `address` as it is now, with what `hook` finds in it. Throws where there is none for this reader. */
export async function load(address, hook = "main") {
    const answer = await fetch(address);
    if (answer.status === 429 || answer.status >= 500) throw answer;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const script = (of) => first("script", of).getAttribute("src");
    const isSame = script(page) === script(document) && page.body.dataset.reader === reader;
    if (answer.ok && isSame && first(hook, page)) return page;
    say(words.old, " ", make("a", { href: own(), textContent: words.reload }));
    isOld = true;
    throw answer;
}

for (const group of all("[data-themes]")) {
    const buttons = all("button", group);
    const show = (theme) => buttons.forEach((one) => one.setAttribute("aria-pressed", one.value === theme));
    const choose = ({ currentTarget: { value } }) => {
        document.cookie = `theme=${value}; Path=/; Max-Age=31536000; SameSite=Lax`;
        if (value) root.dataset.theme = value;
        else delete root.dataset.theme;
        show(value);
    };
    group.hidden = false;
    show(root.dataset.theme ?? "");
    for (const button of buttons) button.addEventListener("click", choose);
}

const hooks = { live: "[data-reader]", forms: "[method=post]", room: "[data-room]", more: "[data-more]" };
for (const name in hooks) if (first(hooks[name])) import(`./${name}.js`);
addEventListener("focusin", ({ target }) => target.closest("[data-suggest]") && import("./suggest.js"));
