"""Maps the files of the repository to their places on the site, so that links of pages lead there. Links are relative
to a page's place in the repository. A link to a file without a page is a download."""
import posixpath
import re

# The pages of bridge/docs are at the top of the site, and a few others (OTHERS) are beside them. Examples, headers,
# Fortran modules and manual pages have pages that are made of them (MADE).
DOCS = "bridge/docs/"
OTHERS = {  # pages from elsewhere
    "bridge/README.md": "sources.md",
    ".github/CONTRIBUTING.md": "contributing.md",
    ".github/SECURITY.md": "security.md",
    "tests/RULES.md": "rules.md",
    "tests/bench/README.md": "benchmarks.md",
    "tests/vectors/README.md": "vectors.md",
}
MADE = [  # (what is in the repository, its page)
    (r"README\.md", "index.md"),
    (r"examples/(\w+)\.c", r"examples/\1.md"),
    (r"examples/python/tour\.ipynb", "tour.md"),
    (r"examples/(python|fortran)/(\w+)\.\w+", r"examples/\1_\2.md"),
    (r"examples(/python|/fortran)?", "examples.md"),
    (r"include/dapbridge/(\w+)\.h", r"reference/c/\1.rst"),
    (r"include/dapbridge", "reference/c/index.rst"),
    (r"bridge/fortran", "reference/fortran/index.rst"),
    (r"bridge/python/dapbridge", "reference/python.md"),
    (r"bridge/docs/man/([\w-]+)\.1", r"reference/command/\1.md"),
    (r"bridge/docs/man", "reference/command/index.md"),
]
LINK = re.compile(r"(\]\(|^```\{(?:literal)?include\} +)([^)\s#:<>]+)", re.M)


def pages(repository):
    """Pages as they are, by where they are on the site: their paths in the repository."""
    docs = repository / DOCS
    own = {str(page.relative_to(docs)): DOCS + str(page.relative_to(docs)) for page in docs.rglob("*.md")}
    return {**own, **{page: origin for origin, page in OTHERS.items() if (repository / origin).exists()}}


def page_of(path):
    """The page of a file or folder of the repository; None: it has none."""
    if path in OTHERS:
        return OTHERS[path]
    if path.startswith(DOCS) and path.endswith(".md"):
        return path.removeprefix(DOCS)
    for pattern, page in MADE:
        found = re.fullmatch(pattern, path)
        if found:
            return found.expand(page)
    return None


def resolved(text, page, repository, folder):
    """A page's text, its links to other files of the repository leading to where they are on the site."""
    origin = pages(repository).get(page, page)
    here = posixpath.dirname(page)

    def replace(found):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), found[2]))
        if not (repository / path).exists():
            return found[0]
        target = None if found[1].startswith("```") else page_of(path)
        to = target or posixpath.relpath(repository / path, folder)
        return found[1] + posixpath.relpath(to if target else folder / to, here if target else folder / here)

    return LINK.sub(replace, text)


def searched(scorer):
    """The table of scorer.js: how names of pages begin, points, and words that find these pages besides their titles'."""
    return [(start, int(points), words.split()) for start, points, words in
            re.findall(r'\["([\w/-]*)", (\d+), "([\w ]*)"\]', scorer)]
