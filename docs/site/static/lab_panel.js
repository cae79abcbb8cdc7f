// The laboratory on a kernel's page: runs the kernel in this tab, as `upsweep run` and `upsweep trace` do.
// A classic script, because a page that is opened as a file may load no module. lab_module.js, which has the program
// compressed, is loaded by the first run.
(() => {
  const here = document.currentScript.src;

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  let machine = null;  // a worker that has answered, and is free

  function loaded(source) {
    return new Promise((resolve, reject) => {
      document.head.append(element("script", {
        src: source, onload: resolve,
        onerror: () => reject(new Error(`${source} could not be loaded`)),
      }));
    });
  }

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  let compiled = null;
  async function start() {
    if (!compiled) {
      if (!globalThis.upsweepLab) await loaded(new URL("lab_module.js", here).href);
      compiled = await WebAssembly.compile(await unpacked(globalThis.upsweepLab.module));
    }
    const program = `${globalThis.upsweepLab.program}
      let lab = null;
      onmessage = async ({data}) => {
        try {
          if (data.module) lab = await open(data.module);
          else postMessage({answer: lab.ask(data)});
        } catch (e) {
          postMessage({error: e.message, ended: !(e instanceof Refusal)});
        }
      };`;
    const worker = new Worker(URL.createObjectURL(new Blob([program], {type: "text/javascript"})));
    worker.postMessage({module: compiled});
    return worker;
  }

  function stop() {
    machine?.terminate();
    machine = null;
  }

  async function ask(request) {
    machine ??= await start();
    const worker = machine;
    return new Promise((resolve, reject) => {
      worker.onmessage = ({data}) => {
        if (data.error === undefined) return resolve(data.answer);
        if (data.ended) stop();
        reject(new Error(data.error));
      };
      worker.onerror = (e) => {
        stop();
        reject(new Error(e.message));
      };
      worker.postMessage(request);
    });
  }

  const choices = {
    form: ["inclusive", "exclusive"],
    op: ["sum", "product", "min", "max", "bit-and", "bit-or", "bit-xor", "affine"],
    dtype: ["i32", "f32"],
    block: [8, 16, 32, 64, 128, 256, 512, 1024],
    schedule: ["in-order", "round-robin", "random", "adversarial", "lockstep"],
  };

  function choice(name, first = choices[name][0], without = []) {
    const field = element("select", {name});
    for (const value of choices[name])
      if (!without.includes(value)) field.append(new Option(value, value, value == first, value == first));
    return field;
  }
  const number = (name, value, max, min = 0) =>
    element("input", {name, type: "number", min, max, step: 1, value, required: true});
  const labeled = (text, field) => element("label", {}, element("span", {textContent: text}), field);
  const paragraph = (...children) => element("p", {}, ...children);

  function table(caption, rows) {
    const body = element("tbody");
    for (const [title, value] of rows) {
      const head = element("th", {textContent: title, scope: "row"});
      body.append(element("tr", {}, head, element("td", {textContent: value, className: "r"})));
    }
    return element("table", {className: "docutils"}, element("caption", {textContent: caption}), body);
  }

  /// Sentences of a trace, or the objects of a run, which name a page.
  function findings(all) {
    if (all.length == 0)
      return paragraph("No findings: no races, no uninitialized reads, no divergent barriers.");
    const list = element("ul", {className: "lab-findings"});
    for (const f of all) {
      const item = element("li", {textContent: f.sentence ?? f});
      if (f.occurrences > 1) item.append(` (${f.occurrences} times)`);
      if (f.page) item.append(" ", element("a", {href: `../findings/${f.page}.html`, textContent: "What this means."}));
      list.append(item);
    }
    return list;
  }

  /// The options, as fields of a form. `scan` and `ordered` say what the kernel can do.
  function fields(scan, ordered) {
    const made = [labeled("Elements", number("n", 1024, 4096))];
    if (scan) made.push(labeled("Form", choice("form")));
    made.push(
      labeled("Operator", choice("op", "sum", ordered ? [] : ["affine"])), labeled("Type", choice("dtype")),
      labeled("Threads per block", choice("block", "256")), labeled("Schedule", choice("schedule")),
      labeled("Seed", number("seed", 0, 4294967295)), labeled("Resident blocks", number("resident", 16, 64, 1)));
    return made;
  }

  const mostInPicture = 64;

  /// The options of the tool by their names.
  function request(verb, stem, form) {
    const at = (name) => form.elements.namedItem(name)?.value;
    const asked = {verb, stem, op: at("op"), exclusive: at("form") == "exclusive", schedule: at("schedule")};
    asked.dtype = asked.op == "affine" ? "affine" : at("dtype");
    for (const name of ["n", "block", "seed", "resident"]) asked[name] = Number(at(name));
    if (verb == "trace" && asked.n > mostInPicture) delete asked.n, delete asked.block;  // it chooses them
    return asked;
  }

  /// A button that keeps the focus while it is of no use.
  const enable = (button, can) => button.setAttribute("aria-disabled", String(!can));
  const isEnabled = (button) => button.getAttribute("aria-disabled") != "true";

  function panel(root) {
    const {stem, forms, order} = root.dataset;
    const form = element("form"), result = element("div", {className: "lab-result"});
    form.setAttribute("aria-label", `Run ${stem}`);
    const status = element("p", {className: "lab-status"});
    status.setAttribute("role", "status");
    const run = element("button", {type: "submit", textContent: "Run"});
    const steps = element("button", {type: "button", textContent: "Show the steps"});
    const end = element("button", {type: "button", textContent: "Stop"});
    form.append(...fields(forms == "both", order == "kept"), element("span", {className: "lab-buttons"}, run, steps, end));
    root.append(form, status, result);

    let runs = 0;  // how many have begun or were stopped: answers of earlier ones come too late
    const settle = (sentence) => {
      status.textContent = sentence;
      for (const button of [run, steps]) enable(button, true);
      enable(end, false);
    };
    settle("");
    const work = async (verb, show) => {
      if (!isEnabled(run) || !form.reportValidity()) return;
      for (const button of [run, steps]) enable(button, false);
      enable(end, true);
      status.textContent = compiled ? "Running …" : "Loading the laboratory …";
      const mine = ++runs, begin = performance.now();
      try {
        const answer = await ask(request(verb, stem, form));
        if (mine != runs) return;
        show(answer);
        const sentence = answer.verdict.replace(/\.$/, "");
        settle(`${sentence[0].toUpperCase()}${sentence.slice(1)}. ${Math.round(performance.now() - begin)} ms.`);
      } catch (e) {
        if (mine != runs) return;
        result.replaceChildren();
        settle(e.message);
      }
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      work("run", (answer) => result.replaceChildren(
        findings(answer.findings), table("Counters of all launches", answer.rows),
        paragraph("The same in a terminal: ", element("code", {textContent: answer.command}))));
    });
    steps.addEventListener("click", () => work("trace", (answer) => {
      const size = `${answer.n} elements in blocks of ${answer.block}`;
      const note = paragraph(`The steps are those of ${size}. Up to ${mostInPicture} elements can be shown.`);
      const frame = element("iframe", {className: "trace", title: `Steps of ${stem}`, srcdoc: answer.page});
      frame.sandbox = "allow-scripts";
      result.replaceChildren(findings(answer.findings), note, frame);
    }));
    end.addEventListener("click", () => {
      if (!isEnabled(end)) return;
      ++runs;
      stop();
      settle("Stopped.");
    });
    form.elements.namedItem("op").addEventListener("change", ({target}) => {
      form.elements.namedItem("dtype").disabled = target.value == "affine";
    });
  }

  for (const root of document.querySelectorAll(".lab-panel")) panel(root);
})();
