"""The directive draw: a picture of a layout. Its argument is a call of Python's, as
layout((8, 12), 4, ["block", cyclic(2)]); its content is the caption."""
import hashlib
import pathlib

from docutils import nodes
from docutils.parsers.rst import Directive

import dapbridge
import dapbridge.draw


class Draw(Directive):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self):
        env = self.state.document.settings.env
        layout = eval(self.arguments[0], vars(dapbridge))
        picture = dapbridge.draw.svg(layout)
        name = hashlib.sha256(picture.encode()).hexdigest()[:16] + ".svg"
        folder = pathlib.Path(env.srcdir).parent / "pictures"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(picture, encoding="utf-8")
        figure = nodes.figure("", nodes.image("", uri=f"/../pictures/{name}", alt=layout.summary()))
        if self.content:
            caption = nodes.caption("", "")
            self.state.nested_parse(self.content, self.content_offset, caption)
            figure += nodes.caption("", "", *caption.children[0].children)
        return [figure]


def setup(app):
    app.add_directive("draw", Draw)
