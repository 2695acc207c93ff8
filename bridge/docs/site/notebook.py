"""Makes the page of the notebook: its texts, its code, and the output of the code when it was run."""
import json


def fenced(kind, text):
    return f"```{kind}\n{text.rstrip()}\n```"


def shown(output):
    if output["output_type"] == "stream":
        return fenced("text", "".join(output["text"]))
    data = {kind: "".join(text) for kind, text in output["data"].items()}
    if "image/svg+xml" in data:
        return fenced("{raw} html", f'<div class="picture">{data["image/svg+xml"]}</div>')
    return fenced("text", data["text/plain"])


def pages(repository):
    cells = json.loads((repository / "examples/python/tour.ipynb").read_text(encoding="utf-8"))["cells"]
    out = []
    for cell in cells:
        source = "".join(cell["source"])
        out.append(source if cell["cell_type"] == "markdown" else fenced("python", source))
        out += [shown(output) for output in cell.get("outputs", [])]
    out.insert(1, "This page is the notebook `examples/python/tour.ipynb` of the sources, as it ran.")
    return {"tour.md": "\n\n".join(out) + "\n"}
