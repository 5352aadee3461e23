// The next page of a list comes in its place.
import { all, first, lead, load } from "./page.js";

// What stands before a pager: the children of a list, or articles.
function items({ previousElementSibling: list, parentElement }) {
    const isItem = ":scope > :is(article, .gated)";
    return list.matches("article, .gated") ? all(isItem, parentElement) : [...list.children];
}

addEventListener("click", async (event) => {
    const link = event.target.closest("[data-more]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { href } = link;
    // A second click finds none.
    link.removeAttribute("href");
    try {
        const page = await load(href, "main .pager");
        const came = items(first("main .pager", page));
        const next = first("main [data-more]", page);
        items(link.closest("nav, p")).pop().after(...came);
        if (next) link.href = next.href;
        else link.remove();
        lead(came[0]);
    } catch {
        location.href = href;
    }
});
