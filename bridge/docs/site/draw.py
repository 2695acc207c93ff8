"""Defines the directive draw, which shows a picture made by the command. Its argument is a layout in words, such as
"8x12 on 2x2: b, c(2)", or two with "to" between them, for the plan from one to the other. Its content is the
caption."""
import hashlib
import os
import pathlib
import subprocess

from docutils import nodes
from docutils.parsers.rst import Directive


class Draw(Directive):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self):
        env = self.state.document.settings.env
        layouts = self.arguments[0].split(" to ")
        command = "plan" if len(layouts) == 2 else "draw"
        name = hashlib.sha256(self.arguments[0].encode()).hexdigest()[:16] + ".svg"
        folder = pathlib.Path(env.srcdir).parent / "pictures"
        folder.mkdir(exist_ok=True)
        done = subprocess.run([os.environ["DAP_SITE_COMMAND"], command, "--output", folder / name, *layouts],
                              capture_output=True, text=True)
        if done.returncode:
            raise self.error(f"dapbridge {command}: {done.stderr or done.stdout}")
        figure = nodes.figure("", nodes.image("", uri=f"/../pictures/{name}", alt=self.arguments[0]))
        if self.content:
            caption = nodes.Element()
            self.state.nested_parse(self.content, self.content_offset, caption)
            figure += nodes.caption("", "", *caption.children[0].children)
        return [figure]


def setup(app):
    app.add_directive("draw", Draw)
