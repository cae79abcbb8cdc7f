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
    op: ["sum", "product", "min", "max", "and", "or", "xor"],
    dtype: ["i32", "f32"],
    block: [8, 16, 32, 64, 128, 256, 512, 1024],
    schedule: ["in-order", "round-robin", "random", "adversarial", "lockstep"],
  };

  function choice(name, first) {
    const field = element("select", {name});
    for (const value of choices[name]) field.append(new Option(value, value, value == first, value == first));
    return field;
  }
  const number = (name, value, max, min = 0) =>
    element("input", {name, type: "number", min, max, step: 1, value, required: true});
  const labelled = (text, field) => element("label", {}, element("span", {textContent: text}), field);

  function table(caption, rows) {
    const body = element("tbody");
    for (const [title, value] of rows) {
      const head = element("th", {textContent: title, scope: "row"});
      body.append(element("tr", {}, head, element("td", {textContent: value})));
    }
    return element("table", {className: "docutils"}, element("caption", {textContent: caption}), body);
  }

  function findings(all) {
    if (all.length == 0) return element("p", {textContent: "No findings: no races, no uninitialised reads, no divergent barriers."});
    const list = element("ul");
    for (const f of all) {
      const times = f.occurrences > 1 ? ` (${f.occurrences} times)` : "";
      list.append(element("li", {textContent: (f.sentence ?? f) + times}));
    }
    return list;
  }

  function panel(root) {
    const stem = root.dataset.stem, form = element("form"), result = element("div");
    const status = element("p", {className: "lab-status"});
    status.setAttribute("role", "status");
    const run = element("button", {type: "submit", textContent: "Run"});
    const steps = element("button", {type: "button", textContent: "Show the steps"});
    const end = element("button", {type: "button", textContent: "Stop", disabled: true});
    form.append(
      labelled("Elements", number("n", 1024, 4096)), labelled("Operator", choice("op", "sum")),
      labelled("Type", choice("dtype", "i32")), labelled("Threads per block", choice("block", 256)),
      labelled("Schedule", choice("schedule", "in-order")), labelled("Seed", number("seed", 0, 4294967295)),
      labelled("Resident blocks", number("resident", 16, 64, 1)),
      element("span", {className: "lab-buttons"}, run, steps, end));
    root.append(form, status, result);

    const request = (verb) => {
      const asked = {verb, stem};
      for (const field of form.elements) if (field.name) asked[field.name] = field.type == "number" ? Number(field.value) : field.value;
      asked.block = Number(asked.block);
      return asked;
    };
    const work = async (verb, show) => {
      if (!form.reportValidity()) return;
      run.disabled = steps.disabled = true;
      end.disabled = false;
      status.textContent = compiled ? "Running …" : "Loading the laboratory …";
      const begin = performance.now();
      try {
        const answer = await ask(request(verb));
        show(answer);
        status.textContent = `${answer.verdict[0].toUpperCase()}${answer.verdict.slice(1)}. ${Math.round(performance.now() - begin)} ms.`;
      } catch (e) {
        result.replaceChildren();
        status.textContent = e.message;
      }
      run.disabled = steps.disabled = false;
      end.disabled = true;
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      work("run", (answer) => result.replaceChildren(
        findings(answer.findings), table("Counters of all launches", answer.rows),
        element("p", {}, "The same in a terminal: ", element("code", {textContent: answer.command}))));
    });
    steps.addEventListener("click", () => work("trace", (answer) => {
      const frame = element("iframe", {className: "trace", title: `Steps of ${stem}`, srcdoc: answer.page});
      frame.sandbox = "allow-scripts";
      result.replaceChildren(findings(answer.findings), frame);
    }));
    end.addEventListener("click", () => {
      stop();
      run.disabled = steps.disabled = false;
      end.disabled = true;
      status.textContent = "Stopped.";
    });
  }

  for (const root of document.querySelectorAll(".lab-panel")) panel(root);
})();
