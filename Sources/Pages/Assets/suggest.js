// Books for what is being typed: each box of search becomes a combobox.
import { all, make } from "./page.js";

for (const { elements: { q: input } } of all("[data-suggest]")) suggest(input);

function suggest(input) {
    const list = make("ul", { id: input.id + "-books", role: "listbox", className: "suggest", hidden: true });
    const set = (name, value) => input.setAttribute(name, value);
    let timer, asked, chosen;
    list.setAttribute("aria-label", input.labels[0].textContent);
    input.after(list);
    set("role", "combobox");
    set("aria-autocomplete", "list");
    set("aria-controls", list.id);
    show([]);

    function show(books) {
        list.replaceChildren(...books.map(({ id, title, authors: [author] }) => {
            const option = make("li", { role: "option", id: "book-" + id, dir: "auto" });
            option.append(title ?? "", make("small", { textContent: author?.name ?? "" }));
            return option;
        }));
        list.hidden = !books.length;
        set("aria-expanded", !list.hidden);
        choose();
    }

    // Nothing is chosen where the reader is in what was typed.
    function choose(option) {
        chosen?.setAttribute("aria-selected", false);
        option?.setAttribute("aria-selected", true);
        set("aria-activedescendant", option?.id ?? "");
        chosen = option;
    }

    const go = (option) => (location.href = "/books/" + option.id.slice(5));

    async function ask() {
        asked?.abort();
        asked = new AbortController();
        const query = new URLSearchParams({ q: input.value, limit: 6 });
        if (!input.value.trim()) return show([]);
        const answer = await fetch("/api/v1/search/suggest?" + query, asked).catch(() => {});
        if (answer?.ok) show((await answer.json()).items);
    }

    const keys = {
        ArrowDown: () => choose(chosen ? chosen.nextSibling : list.firstChild),
        ArrowUp: () => choose(chosen ? chosen.previousSibling : list.lastChild),
        Escape: () => show([]),
    };
    input.addEventListener("keydown", (event) => {
        const act = event.key === "Enter" && chosen ? () => go(chosen) : keys[event.key];
        if (!act || list.hidden || event.isComposing) return;
        event.preventDefault();
        act();
    });
    input.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(ask, 150);
    });
    input.addEventListener("blur", () => show([]));
    // The box keeps the focus while an option is pressed.
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", ({ target }) => go(target.closest("li")));
}
