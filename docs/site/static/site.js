// Not in the pages themselves, which are lighter without (tools/site/light.py).
const themes = { "auto-light": "sun-with-moon", "auto-dark": "moon-with-sun", dark: "moon", light: "sun" };
for (const button of document.querySelectorAll(".theme-toggle"))
  button.innerHTML = Object.entries(themes).map(([when, icon]) => `<svg class="theme-icon-when-${when}"><use href="#svg-${icon}"></use></svg>`).join("");

// Of a session with prompts only what was typed, with lines that continue a command; everything else whole.
function what_to_copy(text) {
  const lines = text.replace(/\n$/, "").split("\n"), prompt = /^(\$|>>>|\.\.\.)( |$)/;
  if (!/^(\$|>>>) /.test(lines[0])) return lines.join("\n") + "\n";
  const is_typed = (line, i) => prompt.test(line) || (i > 0 && lines[i - 1].endsWith("\\"));
  return lines.filter(is_typed).map((line) => line.replace(prompt, "") + "\n").join("");
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);  // not in pages that are opened as files in some browsers
    return true;
  } catch {
    return false;
  }
}

// What the keyboard and screen readers need and the theme leaves out.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "This page");
  for (const label of document.querySelectorAll("label:is(.nav-overlay-icon, .toc-overlay-icon)")) {
    const button = label.querySelector(".icon");
    button.tabIndex = 0;
    button.setAttribute("role", "button");
    button.setAttribute("aria-label", label.htmlFor == "__toc" ? "This page" : "All pages");
    button.addEventListener("keydown", (event) => {
      if (event.key != "Enter" && event.key != " ") return;
      event.preventDefault();
      label.click();
    });
  }
  for (const link of document.querySelectorAll("a.headerlink")) link.title = "Link to this heading";
  for (const cell of document.querySelectorAll("article :is(td, th)")) {
    const length = cell.textContent.length;
    if (length > (cell.localName == "th" ? 12 : 16)) cell.classList.add(length > 40 ? "sentence" : "phrase");
  }
  for (const block of document.querySelectorAll("article div.highlight")) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "copy", textContent: "Copy" });
    button.setAttribute("aria-label", "Copy this code");
    button.addEventListener("click", async () => {
      const done = await copied(what_to_copy(block.querySelector("pre").innerText));
      button.textContent = done ? "Copied" : "Press Ctrl+C";
      if (!done) getSelection().selectAllChildren(block.querySelector("pre"));
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.append(button);
  }
  for (const part of document.querySelectorAll("pre, .table-wrapper, article p"))
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0; // so that arrow keys move it
});
