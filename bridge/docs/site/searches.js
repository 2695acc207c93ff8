/* Asks the built site as a browser does: searches.js <folder of HTML>. Reads queries from standard input as a JSON
   list, and prints a list of the links that the page shows first ("errors.html#the-program-is-slow"; null: none).
   The scripts are those of search.html, in its order. The objects below stand for the browser. */
const fs = require("fs"), vm = require("vm");
const html = process.argv[2];
let link;
const element = () => ({ dataset: {}, appendChild: (child) => child, set href(value) { link ??= value; } });
const nothing = () => null;
const context = vm.createContext({
  URLSearchParams, console, SPHINX_HIGHLIGHT_ENABLED: false, _ready: nothing, _: (text) => text, setTimeout: nothing,
  window: { location: {}, setTimeout: nothing },
  document: {
    getElementById: element, createElement: element, addEventListener: nothing, documentElement: element(),
  },
  Documentation: { gettext: nothing },
  DOCUMENTATION_OPTIONS: { BUILDER: "html", URL_ROOT: "", FILE_SUFFIX: ".html", LINK_SUFFIX: ".html" },
});
for (const file of ["_static/searchtools.js", "_static/language_data.js", "searchindex.js"])
  vm.runInContext(fs.readFileSync(`${html}/${file}`, "utf8"), context, { filename: file });
const links = JSON.parse(fs.readFileSync(0, "utf8")).map((query) => {
  link = null;
  context.window.location.search = `?${new URLSearchParams({ q: query })}`;
  vm.runInContext(`Search.output = document.createElement("ul"); Search.title = {}; Search.status = {};
    Search.query(${JSON.stringify(query)})`, context);
  return link;
});
console.log(JSON.stringify(links));
