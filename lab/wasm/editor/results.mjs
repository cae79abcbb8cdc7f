// What the editor's page shows below the program: findings, counters, errors, grades. `page`: {file, mark, goTo}.

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const heading = (textContent) => element("h2", {textContent});

/// A button for each line of the program.
const lineButton = (line, page) => element("button", {type: "button", textContent: `line ${line}`, onclick: () => page.goTo(line)});

export const output = (printed, most) => printed === "" ? [] : [heading("Printed"), element("pre", {
  tabIndex: 0, role: "region", ariaLabel: "Printed",
  textContent: printed.length < most ? printed : printed.slice(0, most) + "\n… (more is not shown)"})];

function lineButtons(places, sentence, page) {
  const lines = new Set(places.filter((p) => p?.file?.endsWith(page.file())).map((p) => p.line));
  return [...lines].flatMap((line) => {
    page.mark(line, sentence);
    return [" ", lineButton(line, page)];
  });
}

const isRace = (f) => f.page?.startsWith("race_") ?? false;

export function findings(all, page) {
  if (all.length === 0)
    return [element("p", {textContent: "No findings: no races, no uninitialized reads, no divergent barriers."})];
  // A race is often the cause of the others: an element is read before it is written.
  const ordered = [...all.filter(isRace), ...all.filter((f) => !isRace(f))];
  const list = element("ul", {className: "findings"});
  for (const f of ordered) {
    const item = element("li", {textContent: f.sentence + (f.occurrences > 1 ? ` (${f.occurrences} times)` : "")});
    item.append(...lineButtons([f.first, f.second], f.sentence, page));
    if (f.page) item.append(" ", element("a", {href: `../findings/${f.page}.html`, textContent: `What '${f.page.replaceAll("_", " ")}' means`}));
    list.append(item);
  }
  return [heading("Findings"), list];
}

/// What is odd in the text itself.
export function notes(all, page) {
  if (all.length === 0) return [];
  const items = all.map(({file, line, sentence}) =>
    element("li", {textContent: sentence}, ...lineButtons([{file, line}], sentence, page)));
  return [heading("Notes"), element("ul", {}, ...items)];
}

function table(rows, captions) {
  const body = element("tbody");
  for (const [title, ...values] of rows)
    body.append(element("tr", {}, element("th", {scope: "row", textContent: title}),
                        ...values.map((textContent) => element("td", {textContent}))));
  const head = element("tr", {}, ...captions.map((textContent) => element("th", {scope: "col", textContent})));
  return element("div", {className: "wide"}, element("table", {}, element("thead", {}, head), body));
}

export const counters = (rows) => [heading("Counters of all launches"), table(rows, ["counter", "value"])];

export function pageOf(srcdoc) {
  const frame = element("iframe", {title: "Steps of the program", srcdoc});
  frame.sandbox = "allow-scripts";
  return [heading("Steps"), frame];
}

/// The compiler's errors.
export function refused(said, page) {
  const list = element("ul");
  for (const line of said.split("\n").filter(Boolean)) {
    const place = line.match(/(\w+\.cu):(\d+)(?::\d+)?: (.*)/), own = place?.[1] === page.file();
    const item = element("li", {textContent: own ? place[3] : line});
    if (own) item.append(...lineButtons([{file: place[1], line: Number(place[2])}], place[3], page));
    list.append(item);
  }
  return [heading("The compiler's errors"), list];
}

/// Of one exercise, as in `upsweep grade --json`.
export function gradeOf(graded, page) {
  if (graded.compiler !== undefined) return refused(graded.compiler, page);
  const rows = graded.checks.map((c) => [c.title, c.passed ? "right" : "wrong", `${c.points} of ${c.of}`]);
  const parts = [heading("Grade"), table(rows, ["check", "result", "points"])];
  const failed = graded.checks.find((c) => !c.passed);
  if (failed === undefined) return parts;
  const sentence = element("p", {textContent: `${failed.run}: ${failed.kind}: ${failed.explanation}`});
  sentence.append(...lineButtons(failed.at, failed.explanation, page));
  return [...parts, heading("The first failure"), sentence, element("p", {textContent: failed.advice})];
}
