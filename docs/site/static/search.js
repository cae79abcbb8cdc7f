// What a search also finds: headings with most of its words, and if few pages have all words, as of a whole question, those with the rarest.
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
