"""Makes pages of the command's manual pages, from the HTML of mandoc. Without mandoc the text of groff is used. Without
either a page says that there is none."""
import html
import re
import shutil
import subprocess

WORDS = "Neither mandoc nor groff was there when this site was made: see `man {}`."
NAMES = re.compile(r"<b>(dapbridge(?:-\w+)?)</b>\(1\)")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def tidy(body, own):
    """A section's HTML: no links to itself, no empty lines for line breaks of literal text, links to the other pages."""
    body = re.sub(r'<a class="permalink" href="[^"]*">(.*?)</a>', r"\1", body, flags=re.S)
    body = re.sub(r"<pre>.*?</pre>", lambda pre: re.sub(r"\n<br/>\n", "\n", pre[0]), body, flags=re.S)
    return NAMES.sub(lambda name: name[0] if name[1] == own else f'<a href="{name[1]}.html">{name[0]}</a>', body)


def by_mandoc(file):
    """(title, HTML) of each section."""
    for section in output_of("mandoc", "-T", "html", "-O", "fragment", file).split('<section class="Sh">')[1:]:
        head, body = section.rsplit("</section>", 1)[0].split("</h1>", 1)
        title = " ".join(html.unescape(re.sub(r"<[^>]*>", "", head)).split())
        yield title if title == "JSON" else title.capitalize(), tidy(body, file.stem).strip()


def page(file):
    lines = [f"# {file.stem}", ""]
    if shutil.which("mandoc"):
        for title, body in by_mandoc(file):
            lines += [] if title == "Name" else [f"## {title}", ""]
            lines += ["````{raw} html", '<div class="manual">', body, "</div>", "````", ""]
    elif shutil.which("groff"):
        lines += ["````text", output_of("groff", "-man", "-Tutf8", "-P-cbou", file).strip("\n"), "````", ""]
    else:
        lines += [WORDS.format(file.stem), ""]
    return "\n".join(lines)


def pages(repository):
    return {f"reference/command/{file.stem}.md": page(file) for file in sorted((repository / "bridge/docs/man").glob("*.1"))}
