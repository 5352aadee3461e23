// What every page has: the theme that was chosen.
for (const group of document.querySelectorAll("[data-themes]")) {
    group.hidden = false;
    const chosen = document.documentElement.dataset.theme ?? "";
    for (const button of group.querySelectorAll("button")) {
        button.setAttribute("aria-pressed", String(button.value === chosen));
        button.addEventListener("click", () => {
            document.cookie = `theme=${button.value}; Path=/; Max-Age=31536000; SameSite=Lax`;
            if (button.value) document.documentElement.dataset.theme = button.value;
            else delete document.documentElement.dataset.theme;
            for (const other of group.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
        });
    }
}
