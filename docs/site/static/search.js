// What a search also finds: pages with other words for the same; headings with most of its words; and if few pages have all words, as of a whole question, those with the rarest.
const synonyms = [
  [/\bpercentiles?\b/, "quantile"],
  [/\bd_?temp_?storage(_bytes)?\b|\btemp storage\b|\bscratch( memory)?\b/, "temporary storage"],
  [/\b(cumsum|running (total|sum)s?|prefix sums?)\b/, "cumulative_sum"],
  [/\brunning (total|sum)s? (of|per|by|in) (each |every )?\w+/, "running sum by group"],
  [/\b(kahan|neumaier|compensated)( sum\w*)?\b/, "exact_sum"],
  [/\b(mamba|ssm|selective scan)\b( selective scan)?/, "recurrence"],
  [/\b(racecheck|data race|compute-sanitizer)\b/, "race"],
  [/\bsynccheck\b/, "divergent barrier"],
  [/\bmemcheck\b/, "out of bounds"],
  [/\binitcheck\b/, "uninitialized read"],
  [/\b(odd length|non-?power of (two|2)|not a power of (two|2)|wrong length)\b/, "power of two"],
  [/\bsum differs\b|\bdifferent (sum|result)s?\b/, "sums differ order rounds"],
  [/\bnon-?determinis\w+/, "run to run deterministic"],
  [/\bhow many (threads|cores)\b|\bnumber of threads\b/, "threads affinity quota"],
  [/\binteger overflow\b|\boverflow\b/, "checked overflow wraps"],
  [/\b(out of memory|bad_alloc|oom)\b/, "allocation fails memory"],
  [/\b(mac ?os|osx|apple)\b/, "supported systems macos"],
  [/\bmsvc\b/, "visual c++"],
  [/^.*\b(on|for|under) windows\b.*$/, "supported systems", 3],
  [/^.*\bmemory (use|usage|footprint|consumption|overhead)\b.*$/, "temporary storage", 2],
  [/\b(difference|change)s? (between|of) (consecutive|adjacent|neighbou?ring|successive) \w+/, "differences", 2],
  [/\b(user|custom|own)[- ]?(defined )?(struct|class|type|element)s?\b.*/, "own types operators", 2],
  [/^.*\b(ray|dask|spark)\b.*$/, "task engines", 2],
  [/\bmulti-? ?gpus?\b|\b(several|multiple|two|four|many) gpus?\b/, "several gpus"],
  [/^.*\b(compact(ion|ing)?|copy_if)\b.*$/, "elements that satisfy a condition", 2],
  [/^.*\b(first|last|earliest) (index|position|element|row|time|value)s? (where|that|which|with|at which|above|greater)\b.*$/, "positions that satisfy a predicate", 2],
  [/^.*\b(iir|recursive|feedback|first[- ]order|low[- ]?pass) filters?\b.*$/, "linear recurrence", 2],
  [/^.*\b(?:rolling|moving) (max|min|avg|std|\w+).*$/, (_, what) => `moving ${{ max: "maximum", min: "minimum", avg: "average", std: "standard deviation" }[what] ?? what}`, 3],
  [/\b(sequential|strided) addressing\b/, "halving strides"],
  [/\b(dedup\w*|drop_duplicates)\b/, "unique"],
  [/\bgroup ?by\b/, "by key"],
  [/\b(ewma?|ewm)\b/, "exponential moving average"],
  [/\b(fold|accumulate)\b/, "reduce"],
  [/\b(parenthes[ei]s|parens|braces)\b/, "brackets"],
  [/^.*\b(precision|accuracy)\b.*\b(loss|lost|loses?|problem|issue|error)s?\b.*$|^.*\b(loss|lose|loses|losing) (of )?(precision|accuracy)\b.*$/, "floating point rounding", 2],
  [/^.*\b(larger|bigger|more|longer) than (one|a|1) block\b.*$|^.*\b(multi-?block|(several|multiple|many|across|between) blocks)\b.*$/, "tiles of several blocks scan-scan-add", 2],
  [/\bopenmp\b/, "parallel oneTBB"],
  [/\bmpi_?allreduce\b|\ballreduce\b/, "ranks of MPI"],
];

// Pages for users of a language or a library that the question names come first.
const languages = [
  [/\bc\+\+|\bstd::|\btbb\b/, /^(verbs$|reference\/cpp\/|guides\/from_(tbb|parlaylib))/],
  [/\b(python|numpy|np\.|pandas|polars)/, /^(python$|reference\/python\/|guides\/from_(numpy|pandas))/],
  [/\b(cuda|gpus?|thrust|cub|cupy)\b/, /^(cuda$|reference\/cpp\/cuda|guides\/from_thrust|algorithms\/)/],
  [/\b(csv|tsv|shell|bash|awk|command[- ]line)\b/, /^(tables$|reference\/tool\/|guides\/(everyday|from_(miller|datamash)))/],
  [/\b(block|warp|kernel|__\w+)s?\b/, /^(algorithms|findings|learn$|exercises$|patterns$)/],
  [/\b(fortran|mpi(_\w+)?|ranks?)\b/, /^(fortran|clusters|c_ranks)$/],
];

const search_as_asked = Search._performSearch;

// Results are in ascending order of their scores; the last of several for one place counts.
Search._performSearch = (query, ...parsed) => {
  const found = search_as_asked(query, ...parsed), asked = query.toLowerCase();
  for (const [words, instead, weight = 0.9] of synonyms) {
    const other = asked.replace(words, instead);
    if (other === asked) continue;
    for (const result of search_as_asked(...Search._parseQuery(other))) found.push(result.with(4, weight * result[4]));
  }
  const asked_for = languages.filter(([words]) => words.test(asked)).map(([, pages]) => pages);
  for (const result of found) if (asked_for.some((pages) => pages.test(result[0]))) result[4] *= 1.5;
  const best = new Map();
  for (const result of found.sort(_orderResultsByScoreThenName)) {
    const place = result[0] + result[2];
    best.delete(place);
    best.set(place, result);
  }
  return [...best.values()].map((result) => (result[2] ? result : in_its_part(result, asked)));
};

// Leads a result that is a whole page to the part whose heading and beginning have most of the words, if one has more than the beginning of the page.
function in_its_part(result, asked) {
  const words = splitQuery(asked).filter((word) => word.length > 2), [front, ...parts] = excerpts[result[0]] ?? [["", "", ""]];
  const count = ([, heading, text]) => {
    const [above, below] = [heading.toLowerCase(), text.toLowerCase()];
    return words.reduce((sum, word) => sum + (above.includes(word) ? 2 : below.includes(word) ? 1 : 0), 0);
  };
  const [most, part] = parts.reduce(([most, best], part) => (count(part) > most ? [count(part), part] : [most, best]), [Math.max(count(front), words.length > 1 ? 1 : 0), null]);
  return part && most > 1 ? result.with(1, `${result[1]} > ${part[1]}`).with(2, `#${part[0]}`) : result;
}

// Excerpts come from a script instead of the pages: a page that is opened as a file cannot fetch others.
window.fetch = (address) => Promise.resolve(new Response(new URL(address, location).href.slice(new URL(document.documentElement.dataset.content_root, location).href.length)));
Search.makeSearchSummary = (address, keywords, anchor) => {
  const parts = excerpts[address.replace(/\.html$/, "")] ?? [], part = parts.find(([id]) => `#${id}` === anchor) ?? parts[0];
  const summary = document.createElement("p");
  summary.classList.add("context");
  summary.textContent = part?.[2] ?? "";
  return summary;
};

const of_all_words = Search.performTermsSearch;

function of_some_words(words, excluded) {
  const found = new Map(), pages = Search._index.docnames.length;
  for (const word of words) {
    const results = of_all_words(new Set([word]), excluded), rarity = Math.log(pages / results.length);
    for (const result of results) {
      const [page, , , , score] = result;
      if (!found.has(page)) found.set(page, result.with(4, 0));
      found.get(page)[4] += rarity * Math.sqrt(score);
    }
  }
  const best = Math.max(...[...found.values()].map((result) => result[4]));
  for (const result of found.values()) result[4] *= Scorer.term / best;
  return [...found.values()].sort((a, b) => b[4] - a[4]).slice(0, 20);
}

function headings(words) {
  const { alltitles, docnames, filenames, titles } = Search._index, found = [];
  for (const [title, places] of Object.entries(alltitles)) {
    const share = words.filter((word) => title.toLowerCase().includes(word)).length / words.length;
    if (share <= 0.5) continue;
    for (const [page, id] of places)
      if (id) found.push([docnames[page], `${titles[page]} > ${title}`, `#${id}`, null, (Scorer.title + 1) * share, filenames[page], SearchResultKind.title]);
  }
  return found;
}

Search.performTermsSearch = (words, excluded) => {
  const found = of_all_words(words, excluded), others = words.size > 1 ? headings([...words]) : [];
  return [...found, ...others, ...(found.length > 4 ? [] : of_some_words(words, excluded))];
};
