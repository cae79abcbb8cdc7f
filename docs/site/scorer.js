// The order of what a search finds: what explains and what is called, before why it is so and how fast.
var Scorer = {
  score: ([page, , , , score]) => {
    if (/^(design|generated|source)\/|^(changelog|contributing|map|writing|lectures)$/.test(page)) return score * 0.2;
    if (/^(start|tutorial|determinism|cuda$|questions|guides\/|findings\/|verbs$|python$|tables$|contracts$|numbers$)/.test(page)) return score * 2;
    return score;
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
