/* Sphinx's search asks Scorer.score() for the place of each result: guides come before reference, examples and notes.
   searches.py reads the table of places and asks the built index by the same rules. */
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,

  /* What is added for a page whose name begins so; the first line that fits counts. Its words find it as those of its
     title do. */
  places: [
    ["linalg-routines", 500, ""],
    ["linalg", 509, "dense linear system equations numpy rows scalapack lu factors block size"],
    ["petsc", 508, "vec mat dmda ksp snes ts field vector matrix own buffer numpy pass"],
    ["halos", 507, "padding padded own array exchange ghost cells stencil block buffer"],
    ["sharing", 506, "shared reason explain log got blocks differ size axis false process owns last keep its values asked"],
    ["moving", 505, "redistribute transpose gather scatter move"],
    ["files", 504, ""],
    ["building", 503, "pip apt build compile debian ubuntu package without root sudo cluster"],
    ["errors", 502, "source destination buffer data null slots enough available there rank mpiexec process elements hang oversubscribe rule only message module named modulenotfounderror while loading cannot open shared object file libraries singular zero factors axis part has one same place along waited come array gather deadlock undefined pmi_size dap_err_arg dap_err_nomem dap_err_version dap_err_dim dap_err_layout dap_err_buffer dap_err_range dap_err_unsupported dap_err_share dap_err_remote dap_err_library dap_err_numeric dap_err_file"],
    ["ghosts", 501, ""],
    ["coming/", 300, ""], ["tutorials/", 300, ""], ["index", 300, ""],
    ["notes/", 0, ""], ["reference/", 0, ""], ["examples", 0, ""], ["changes", 0, ""], ["benchmarks", 0, ""], ["rules", 0, ""],
    ["vectors", 0, ""], ["sources", 0, ""], ["contributing", 0, ""], ["tour", 0, ""], ["", 400, ""],
  ],

  score: ([page, title, anchor, kind, score]) => {
    const query = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase();
    const name = title.toLowerCase().split(".").pop();
    /* a function by its full name; of a status first the page that says what to do */
    if (kind) return name === query && query.includes("_") && !query.startsWith("dap_err_") ? score + 2000 : score;
    const words = splitQuery(query).filter((word) => word.length > 2 && !/^\d+$/.test(word) && !stopwords.includes(word));
    const heading = title.toLowerCase().split(" > ")[0];
    const stem = (word) => new Stemmer().stemWord(word);
    const [, place, more] = Scorer.places.find(([start]) => page.startsWith(start));
    const names = more.split(" ").map(stem);
    const isIn = (word) => heading.includes(word) || heading.includes(stem(word)) || names.includes(stem(word));
    return score + place + (place && words.every(isIn) ? 1000 : 0);
  },
};
