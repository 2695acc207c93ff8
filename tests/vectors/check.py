"""Checks the documents of this folder, and of the folder DAPBRIDGE_VECTORS, by `dapbridge check`: each must conform or
be refused, as the document itself says.

check.py <dapbridge>"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

COMMAND = sys.argv[1]
HERE = Path(__file__).resolve().parent
OWN = 132  # number of documents in this folder

# Entries for which the rules decide otherwise than the protocol's text, with the reasons.
SEQUENCE = "rules 3, 10 and 17 accept any sequence"
INDEX = "rule 17: an index outside 0 .. size - 1 cannot be found again"
EXTENT = "rule 4: the local extent must be the buffer's"
VERSION = "rule 2: 1.0.0 is no version that is known"
DECIDED = {
    "b padding list": SEQUENCE,
    "u list": SEQUENCE,
    "u empty list": SEQUENCE,
    "dim_data list": SEQUENCE,
    "TestInvalidDimData.test_bad_unstructured_indices": SEQUENCE,
    "TestMissingKeys.test_missing_buffer": "a document may have dictionaries alone",
    "version unicode bytes": "JSON has no bytes",
    "c periodic": "rule 3: keys of another dist_type are ignored",
    "c padding": "rule 3: keys of another dist_type are ignored",
    "u negative": INDEX,
    "u >= size": INDEX,
    "TestValidDimData.test_block_cyclic": EXTENT,
    "TestValidDimData.test_cyclic": EXTENT,
    "TestValidator.test_block": VERSION,
    "TestValidator.test_block_cyclic": VERSION,
    "TestValidator.test_cyclic": VERSION,
    "TestValidator.test_unstructured": VERSION,
}


def is_refused(document, rules=None):
    """Returns the command's output, and whether it is a refusal. Any other result ends the test."""
    options = ["--rules", rules] if rules else []
    done = subprocess.run(
        [COMMAND, "check", *options, "-"], input=json.dumps(document), capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1) and not done.stderr, (done.returncode, done.stdout, done.stderr)
    return done.returncode == 1, done.stdout


def rules_of(document):
    """Returns the rules that a conforming document of an unknown version names (rule 2)."""
    version = document["ranks"][0].get("__version__")
    text = ".".join(map(str, version)) if isinstance(version, list) else str(version)
    known = re.match(r"0\.(9|10)\.\d|0\.0\.1$", text)
    return None if known or not document["conforming"] else document.get("rules")


def opinion(entry):
    """Returns whether a single export is right by the protocol's text, or None if the text leaves this open."""
    if "text" in entry:
        return {"valid": True, "invalid": False}.get(entry["text"].split()[0])
    if "reason" in entry or entry.get("conforming") is False:
        return False
    return None if "why" in entry else True


def parts(entry):
    """Returns the documents of an entry. A dictionary by itself has the version of the release whose tests contain
    it."""
    if "dim_dict" in entry:
        release = re.search(r"rel-([0-9.]+)", entry["source"])
        return [{"__version__": release[1] if release else "0.10.0", "dim_data": [entry["dim_dict"]]}]
    return entry["ranks"] if entry.get("complete") is False else [entry]


def arrays(path):
    """Yields (name, (whether refused, output), whether it conforms) for each line. A refusal by another rule counts
    as none."""
    for line in path.read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        refused, said = is_refused(document, rules_of(document))
        rule = document.get("broken_rule", 0)
        yield document["name"], (refused and (f"(rule {rule})" in said or not rule), said), document["conforming"]


def exports(path):
    """Yields the same for lists of single exports."""
    lists = json.loads(path.read_text(encoding="utf-8"))
    for entry in [e for group in lists.values() for e in group] if isinstance(lists, dict) else lists:
        answers = [is_refused(part) for part in parts(entry)]
        yield entry.get("name") or entry["test"], max(answers), opinion(entry)


def run(folder):
    """Returns the number of documents, and of wrong results of the command."""
    count = failed = 0
    for path in sorted(folder.glob("*.json*")):
        for name, (refused, said), right in (arrays if path.suffix == ".jsonl" else exports)(path):
            count += 1
            if (right is refused) == (name in DECIDED):
                continue
            failed += 1
            print(f"{path.name}: {name}: {'conforming' if right else 'refused'} by the text, but: {said}")
    return count, failed


count, failed = run(HERE)
assert count == OWN, count
if os.environ.get("DAPBRIDGE_VECTORS"):
    more = run(Path(os.environ["DAPBRIDGE_VECTORS"]))
    assert more[0] > 0
    count, failed = count + more[0], failed + more[1]
print(f"{count} documents, {failed} failed")
sys.exit(failed > 0)
