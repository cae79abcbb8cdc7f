// Colors of CUDA C++: an element below the transparent text of the editor has the same text, in colors.

const words = "alignas alignof auto bool break case catch char class concept const consteval constexpr constinit " +
  "const_cast continue decltype default delete do double dynamic_cast else enum explicit extern false float for " +
  "friend goto if inline int long mutable namespace new noexcept nullptr operator private protected public " +
  "reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template " +
  "this thread_local throw true try typedef typename union unsigned using virtual void volatile while " +
  "__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __forceinline__ __noinline__ " +
  "__launch_bounds__ threadIdx blockIdx blockDim gridDim warpSize";
const isWord = new Set(words.split(" "));
const mostColored = 200_000;  // characters; longer texts have one color

// Comments, strings, directives, names, numbers; what remains is left as it is.
const token = /(\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|("(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?)|(^[ \t]*#[ \t]*\w+)|([A-Za-z_]\w*)|(\b\d[\w.']*)/gm;

const escaped = (text) => text.replace(/[&<>]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;"}[c]));

/// The text as HTML.
export function highlighted(text) {
  if (text.length > mostColored) return escaped(text);
  let html = "", done = 0;
  for (const found of text.matchAll(token)) {
    const [all, comment, string, directive, name] = found;
    const kind = comment ? "comment" : string ? "string" : directive || isWord.has(name) ? "word" : name ? "" : "number";
    html += escaped(text.slice(done, found.index));
    html += kind === "" ? escaped(all) : `<span class="${kind}">${escaped(all)}</span>`;
    done = found.index + all.length;
  }
  return html + escaped(text.slice(done));
}
