/* Sphinx's search asks Scorer.score() for the place of each result: guides come before reference, examples and notes.
   searches.py reads the table of places and asks the built index by the same rules. */
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,

  /* What is added for a page whose name begins so; the first line that fits counts. */
  places: [
    ["linalg", 500], ["petsc", 500], ["halos", 500], ["ghosts", 500], ["moving", 500], ["files", 500], ["sharing", 500],
    ["errors", 500], ["building", 450], ["coming/", 300], ["tutorials/", 300], ["index", 300],
    ["notes/", 0], ["reference/", 0], ["examples", 0], ["changes", 0], ["benchmarks", 0], ["rules", 0], ["vectors", 0],
    ["sources", 0], ["contributing", 0], ["tour", 0], ["", 400],
  ],

  score: ([page, title, anchor, kind, score]) => {
    const query = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase();
    const name = title.toLowerCase().split(".").pop();
    if (kind) return name === query && query.includes("_") ? score + 2000 : score; /* a function by its full name */
    const words = splitQuery(query).filter((word) => word.length > 2 && !stopwords.includes(word));
    const heading = title.toLowerCase().split(" > ")[0];
    const isIn = (word) => heading.includes(word) || heading.includes(new Stemmer().stemWord(word));
    const place = Scorer.places.find(([start]) => page.startsWith(start))[1];
    return score + place + (place && words.every(isIn) ? 1000 : 0);
  },
};
