// What is wrong with how a page lies on the screen: a list of sentences. It runs in the page and changes nothing but how far that is
// scrolled.
async ({ isTouched }) => {
    const faults = new Set();
    const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
    const name = (element) => {
        const words = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
        const type = element.id ? "#" + element.id : element.className && element.className.baseVal === undefined
            ? "." + String(element.className).split(" ")[0] : "";
        return `<${element.localName}${type}> “${words}”`;
    };
    // Pictures that wait until they are seen, too.
    for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
        scrollTo({ top: y, behavior: "instant" });
        await wait(30);
    }
    for (let tries = 0; tries < 200; tries += 1) {
        const missing = [...document.images].find((image) => !image.complete && image.checkVisibility());
        if (!missing) break;
        missing.scrollIntoView({ behavior: "instant" });
        await wait(100);
    }
    scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
    for (const image of document.images) {
        if (image.checkVisibility() && !image.naturalWidth) faults.add(`the picture ${image.currentSrc || image.src} does not come`);
        if (!image.hasAttribute("width") || !image.hasAttribute("height")) faults.add(`${name(image)} ${image.src} has no size`);
    }

    // Nothing can stand under what stays at the bottom of the screen.
    const isLifted = (element) => {
        for (let each = element; each; each = each.parentElement) {
            if (["fixed", "sticky"].includes(getComputedStyle(each).position)) return each;
        }
        return null;
    };
    const wanted = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
    const last = [...document.querySelectorAll(wanted)].filter((each) => each.checkVisibility() && !isLifted(each)).at(-1);
    if (last) {
        const box = last.getClientRects()[0];
        const top = box && document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        if (top && !last.contains(top) && !top.contains(last)) faults.add(`${name(last)} stays under ${name(top)}`);
    }
    scrollTo({ top: 0, behavior: "instant" });

    // What is seen of an element, each line of it by itself.
    const seen = (element) => {
        if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return [];
        const own = getComputedStyle(element);
        // What makes a link in a sentence easier to hit reaches into the lines beside it.
        const [over, under] = own.display === "inline" ? [parseFloat(own.paddingTop), parseFloat(own.paddingBottom)] : [0, 0];
        const boxes = [...element.getClientRects()].map((box) => ({
            left: box.left, right: box.right, top: box.top + scrollY + over, bottom: box.bottom + scrollY - under }));
        for (let each = element.parentElement; each && each !== document.body; each = each.parentElement) {
            const style = getComputedStyle(each);
            const outer = each.getBoundingClientRect();
            for (const box of boxes) {
                if (style.overflowX !== "visible") {
                    box.left = Math.max(box.left, outer.left);
                    box.right = Math.min(box.right, outer.right);
                }
                if (style.overflowY !== "visible") {
                    box.top = Math.max(box.top, outer.top + scrollY);
                    box.bottom = Math.min(box.bottom, outer.bottom + scrollY);
                }
            }
        }
        return boxes.filter((box) => box.right - box.left > 1 && box.bottom - box.top > 1 && box.bottom > 0);
    };

    // Sideways.
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) {
        faults.add(`it is ${document.documentElement.scrollWidth} px wide on a screen of ${width}`);
    }
    for (const element of document.body.querySelectorAll("*")) {
        if (element.parentElement.closest("svg, math")) continue;
        const boxes = seen(element);
        if (boxes.some((box) => box.right > width + 1 || box.left < -1)) faults.add(`${name(element)} stands out of the screen`);
        const hasWords = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
        const style = getComputedStyle(element);
        if (boxes.length && hasWords && style.display !== "inline" && style.overflowX === "visible"
            && element.scrollWidth > element.clientWidth + 2 && element.clientWidth > 0) {
            faults.add(`the words of ${name(element)} stand out of it`);
        }
    }

    // What is pressed: large enough, and one beside the other.
    const pressed = [...document.querySelectorAll(wanted)].map((element) => ({ element, boxes: seen(element), lifted: isLifted(element) }))
        .filter((each) => each.boxes.length);
    for (const { element, boxes } of pressed) {
        // A link may be as high as its line where there is room around it, which axe asks.
        if (element.matches("a:not(.button, .dock a)")) continue;
        const area = ["radio", "checkbox"].includes(element.type) ? element.closest("label") ?? element.labels?.[0] ?? element : element;
        const box = (area === element ? boxes : seen(area))[0] ?? boxes[0];
        const [across, down] = [box.right - box.left, box.bottom - box.top];
        if (across < 23.9 || down < 23.9) faults.add(`${name(element)} is ${Math.round(across)} by ${Math.round(down)} px: under 24`);
        if (isTouched && element.matches(".button:not(.quiet), .dock a, .dock summary") && (across < 43.9 || down < 43.9)) {
            faults.add(`${name(element)} is ${Math.round(across)} by ${Math.round(down)} px, a main control under 44`);
        }
    }
    pressed.forEach((one, place) => {
        for (const other of pressed.slice(place + 1)) {
            if (one.element.contains(other.element) || other.element.contains(one.element) || one.lifted !== other.lifted) continue;
            const meet = one.boxes.some((a) => other.boxes.some((b) =>
                Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5
                && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1.5));
            if (meet) faults.add(`${name(one.element)} and ${name(other.element)} lie over each other`);
        }
    });
    return [...faults];
}
