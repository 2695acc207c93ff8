/* Sphinx's search asks Scorer.score() for the place of each result: guides come before reference, examples and notes.
   requireLongWords() corrects how Sphinx finds words. searches.py reads the table of places and asks the built index by
   the same rules. */
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,

  /* What is added for a page whose name begins so; the first line that fits counts. Its words find it as those of its
     title do. */
  places: [
    ["linalg-routines", 500, ""],
    ["linalg", 509, "dense linear system equations numpy rows scalapack lu factors block size"],
    ["petsc", 508, "vec mat dmda ksp snes ts field vector matrix own buffer numpy pass"],
    ["halos", 507, "padding padded own array exchange ghost cells layer stencil block buffer grid mpi_cart numpy program mpi update create python fortran"],
    ["sharing", 506, "shared reason explain log got blocks differ size axis false process owns last keep its values asked avoid copy"],
    ["moving", 505, "redistribute transpose gather scatter move"],
    ["files", 504, ""],
    ["building", 503, "pip apt build compile debian ubuntu package without root sudo cluster"],
    ["errors", 502, "source destination buffer data null slots enough available there rank mpiexec process elements hang timeout oversubscribe rule only message module named modulenotfounderror while loading cannot open shared object file libraries singular zero factors axis part has another one same place along waited come array gather deadlock undefined pmi_size dap_err_arg dap_err_nomem dap_err_version dap_err_dim dap_err_layout dap_err_buffer dap_err_range dap_err_unsupported dap_err_share dap_err_remote dap_err_library dap_err_numeric dap_err_file refuse allow run root mpirun slow sharing required"],
    ["ghosts", 501, ""], ["performance", 499, "performance copy moved slow"],
    ["coming/", 300, ""], ["tutorials/", 300, ""], ["index", 300, ""],
    ["notes/", 0, ""], ["reference/", 0, ""], ["examples", 0, ""], ["changes", 0, ""], ["benchmarks", 0, ""], ["rules", 0, ""],
    ["vectors", 0, ""], ["sources", 0, ""], ["contributing", 0, ""], ["tour", 0, ""], ["", 400, ""],
  ],

  score: (result) => {
    const [page, title, anchor, kind, score] = result;
    const query = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase();
    const name = title.toLowerCase().split(".").pop();
    /* a function by its full name; of a status first the page that says what to do */
    if (kind) return name === query && query.includes("_") && !query.startsWith("dap_err_") ? score + 2000 : score;
    const words = splitQuery(query).filter((word) => word.length > 2 && !/^\d+$/.test(word) && !stopwords.includes(word));
    const heading = title.toLowerCase().split(" > ")[0];
    const stem = (word) => new Stemmer().stemWord(word);
    const [, place, more] = Scorer.places.find(([start]) => page.startsWith(start));
    const names = more.split(" ").map(stem);
    const isInTitle = (word) => heading.includes(word) || heading.includes(stem(word));
    if (!title.includes(" > ") && title.toLowerCase().includes(query)) result[2] = ""; /* found by words, too: once */
    else if (!anchor && !words.every(isInTitle)) Scorer.leadToSection(result, words.map(stem));
    return score + place + (place && words.every((word) => isInTitle(word) || names.includes(stem(word))) ? 1000 : 0);
  },

  /* Makes the result for a page lead to its section whose title has all the words, if there is one. */
  leadToSection: (result, stems) => {
    for (const [title, places] of Object.entries(Search._index.alltitles || {})) {
      const place = places.find(([file]) => Search._index.docnames[file] === result[0]);
      if (!place || !place[1] || !stems.every((stem) => title.toLowerCase().includes(stem))) continue;
      [result[1], result[2]] = [`${result[1]} > ${title}`, `#${place[1]}`];
      return;
    }
  },
};

/* Sphinx keeps pages that have as many of the words as there are words of three letters or more, even if these are other
   words, and forgets earlier words at one that is part of several words of a page. So each word of three letters or more
   is looked up by itself, and the pages that have all of them are kept. */
function requireLongWords() {
  if (typeof Search === "undefined" || !Search.performTermsSearch) return;
  const find = Search.performTermsSearch;
  Search.performTermsSearch = (words, excluded) => {
    const long = [...words].filter((word) => word.length > 2);
    if (long.length === 0) return find(words, excluded);
    const ofPage = (results, page) => results.find((result) => result[0] === page);
    return long.map((word) => find(new Set([word]), excluded)).reduce((all, results) => all
      .filter(([page]) => ofPage(results, page))
      .map((result) => (ofPage(results, result[0])[4] > result[4] ? ofPage(results, result[0]) : result)));
  };
}
if (typeof Search === "undefined") document.addEventListener("DOMContentLoaded", requireLongWords);
else requireLongWords();
