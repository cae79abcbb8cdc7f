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
  for (const cell of document.querySelectorAll("article :is(td, th)")) {
    const length = cell.textContent.length;
    if (length > (cell.localName == "th" ? 12 : 16)) cell.classList.add(length > 40 ? "sentence" : "phrase");
  }
  for (const part of document.querySelectorAll("pre, .table-wrapper, article p"))
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0; // so that arrow keys move it
});
