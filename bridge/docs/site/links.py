"""Fails if a link between pages, or to a place on one, leads nowhere. The command is links.py <folder of HTML>."""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.path, self.places, self.links = path, set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.places.update(named[key] for key in ("id", "name") if named.get(key))
        self.links.update(named[key] for key in ("href", "src") if named.get(key) and tag != "use")


def wrong(page, pages):
    for link in page.links:
        to = urllib.parse.urlsplit(link)
        if to.scheme or to.netloc:
            continue
        path = (page.path.parent / urllib.parse.unquote(to.path)).resolve() if to.path else page.path
        if not path.exists():
            yield link
        elif to.fragment and path in pages and urllib.parse.unquote(to.fragment) not in pages[path].places:
            yield link


folder = pathlib.Path(sys.argv[1]).resolve()
pages = {path: Page(path) for path in folder.rglob("*.html")}
found = [(page.path.relative_to(folder), link) for page in pages.values() for link in sorted(wrong(page, pages))]
for path, link in found:
    print(f"{path}: {link} leads nowhere", file=sys.stderr)
sys.exit(len(found) > 0)
