// Grades a student's kernel as `upsweep grade` does: the tool's graders, in the module of programs, say what to run
// and judge what became of it.

const reportFile = 3;    // where a program reports, as programs.cpp says
const mostPrinted = 500;  // as of `upsweep grade`

async function outcome(run, request) {
  let lines = "", printed = "";
  const say = (text, file) => {
    if (file === reportFile) lines += text;
    else if (printed.length < mostPrinted) printed += text;
  };
  const got = await run(request, say).catch(
    (e) => ({status: 134, failure: e.isLate ? e.message : `the program crashed: ${e.message}`, stopped: e.isLate === true}));
  return {lines, printed: printed.slice(0, mostPrinted), status: got.status, failure: got.failure, stopped: got.stopped ?? false};
}

/// {grade, text} of `exercise`: {rules, checker, text, seed, seconds}. `parts` are three functions: `ask`, of one
/// instance of the module; `compile(texts)`, which may throw an error that `isCompilers`; and `run(module, request,
/// say)`, whose error `isLate` if the time limit has ended it.
export async function grade({ask, compile, run}, exercise) {
  let module = null, answer = await ask({verb: "grade", ...exercise});
  if (answer.checker !== undefined) {
    let error = "";
    try {
      module = await compile({"check.cu": answer.checker, "kernel.cu": exercise.text});
    } catch (e) {
      if (!e.isCompilers) throw e;
      error = e.message + "\n";
    }
    answer = await ask({verb: "grade_compiled", error});
  }
  while (answer.process !== undefined)
    answer = await ask({verb: "grade_outcome", ...await outcome((request, say) => run(module, request, say), answer.process)});
  return answer;
}
