"""The runner itself: what it must notice, and what it must let pass.

    python3 test_runner.py COUNTERSIGN PYTHON
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from compare import Known, json_difference
from pages import blocks, commands
from terminal import screen

HERE = Path(__file__).parent


class Reading(unittest.TestCase):
    def test_a_block_is_cut_into_commands_with_their_output(self):
        text = "x\n```console\n$ cat > a.json <<'END'\n{\"a\": 1}\nEND\n$ echo one \\\n    two\none two\n\n$ echo 'three\nfour'   # a comment\n```\n"
        found = commands(blocks(text)[0])
        self.assertEqual([len(command.text.split("\n")) for command in found], [3, 2, 2])
        self.assertEqual([command.expected for command in found], [[], ["one two"], []])
        self.assertEqual([command.line for command in found], [3, 6, 10])

    def test_marks_belong_to_the_next_block(self):
        text = "<!-- not run: a\n picture -->\n\n```text\nx\n```\n\nprose\n\n```text\ny\n```\n"
        first, second = blocks(text)
        self.assertEqual(first.marks["not run"], "a picture")
        self.assertEqual((first.line, second.line), (4, 10))
        self.assertNotIn("not run", second.marks)


class Comparing(unittest.TestCase):
    def test_an_ellipsis_stands_for_anything(self):
        known = Known()
        self.assertIsNone(known.difference(["a … c", "…", "z"], "a b c\nx\ny\nz\n", False))
        self.assertIsNotNone(known.difference(["a … c"], "a b d\n", False))
        self.assertIsNotNone(known.difference(["a"], "a\nb\n", False), "more than is shown")
        self.assertIsNone(known.difference(["b", "", "d"], "a\nb\nc\nd\n", True), "an excerpt")
        self.assertIsNotNone(known.difference(["d", "", "b"], "a\nb\nc\nd\n", True), "in this order")

    def test_ids_are_the_same_wherever_they_are_shown(self):
        known = Known()
        self.assertIsNone(known.difference(["rev_22…  pending at 2026-11-16T10:00:00Z"], "rev_9f3b  pending at 2027-01-02T03:04:05.678Z", False))
        self.assertEqual(known.put_into("approve rev_22…"), "approve rev_9f3b")
        self.assertIsNotNone(known.difference(["rev_22…"], "rev_other", False))

    def test_json_must_have_what_is_shown(self):
        seen = {"a": 1, "b": [{"c": "long text"}, 2], "d": 3}
        self.assertIsNone(json_difference({"a": 1, "b": [{"c": "long …"}, "…"]}, seen))
        self.assertIsNotNone(json_difference({"a": 2}, seen))
        self.assertIsNotNone(json_difference({"b": [1]}, seen))

    def test_what_was_drawn_again_is_seen_once(self):
        self.assertEqual(screen("one\r\ntwo\r\x1b[1A\x1b[0J\x1b[1mONE\x1b[0m\r\nTWO\r\n"), ["ONE", "TWO", ""])


class Running(unittest.TestCase):
    def test_a_page_with_mistakes(self):
        """Each mistake is found, and nothing else."""
        page = """
```console
$ echo right
right
$ echo left
right
$ false
$ false                # exit 1
$ make nothing-of-this-name
```

```yaml
nobody: runs this
```

<!-- not run "nothing of these words": gone -->
```console
$ echo fine
```

```toml
unknown_key = 1
```

`countersign check --no-such-option` and `countersign nonsense` and `countersign explain CODE`
"""
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            file.write(page)
            file.flush()
            asked = subprocess.run([sys.executable, HERE / "page.py", PROGRAM, PYTHON, file.name], capture_output=True, text=True)
        parts = json.loads(asked.stdout)
        failed = [part["line"] for part in parts if part["how"] == "failed"]
        self.assertEqual(failed, [5, 7, 9, 12, 17, 21, 25, 25], parts)


if __name__ == "__main__":
    PROGRAM, PYTHON = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main(verbosity=0)
