#!/usr/bin/env python3
"""What docs/glossary.md gives as code beside a word, or in front of a meaning, is a word of the sources.

    glossary.py <top>
"""

import pathlib
import re
import sys

top = pathlib.Path(sys.argv[1])
text = "\n".join(p.read_text() for p in sorted((top / "src").rglob("*")) if p.suffix in {".hpp", ".cpp", ".cuh", ".cu"})
words = set(re.findall(r"\w+", re.sub(r"//.*", "", text)))
rows = re.findall(r"^\| (.*?) \| (.*) \|$", (top / "docs/glossary.md").read_text(), re.MULTILINE)
named = [name for word, meaning in rows for name in re.findall(r"`(\w+)`", word + meaning)]
gone = sorted(set(named) - words)
print(f"docs/glossary.md names what src has not: {gone}" if gone else f"{len(named)} words")
sys.exit(bool(gone) or len(named) < 20)
