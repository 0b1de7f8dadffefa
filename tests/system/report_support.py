"""Results and pages for the tests of `attnlab report`."""

import html.parser
import json
import re

from support import strict_json

VOID = {"meta", "link", "input", "br", "wbr", "img", "hr"}


def result(tables, name="test", status="complete", expectations=(), provenance=None, **more):
    return {"schema": "attnlab-result/1", "name": name, "status": status, "points": {"done": 1, "total": 2},
            "provenance": provenance or {}, "expectations": list(expectations), "tables": tables, **more}


def table(name, columns, rows, experiment="sweep", title="", notes=()):
    """`columns`: name to (kind, unit, help); `rows`: lists of values."""
    listed = [{"name": column, "unit": unit, "kind": kind, "better": "none", "tolerance": None, "help": text}
              for column, (kind, unit, text) in columns.items()]
    return {"name": name, "experiment": experiment, "title": title, "columns": listed, "notes": list(notes),
            "rows": [dict(zip(columns, row)) for row in rows]}


def long_result(rows):
    columns = {"n": ("parameter", "", "a length"), "kernel": ("parameter", "", "which"), "time": ("timed", "s", "median")}
    values = [[i, ("naive", "flash")[i % 2], 1e-3 * ((i * 7919) % rows + 1)] for i in range(rows)]
    return result([table("sweep", columns, values)], name="long")


class Page(html.parser.HTMLParser):
    """Elements, ids, links and texts of a page; fails where tags do not match."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.text, self.open, self.elements, self.texts, self.scripts = text, [], [], [], {}
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        if name not in VOID:
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        self.elements.append((name, dict(attributes)))

    def handle_endtag(self, name):
        assert self.open and self.open[-1] == name, f"</{name}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[self.elements[-1][1].get("id") or self.elements[-1][1].get("class") or len(self.scripts)] = data
        elif self.open and self.open[-1] != "style" and data.strip():
            self.texts.append(data)

    def values(self, attribute):
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]

    def count(self, name):
        return sum(element == name for element, _ in self.elements)

    def rows_json(self):
        return strict_json(self.scripts["rows"])


def external_addresses(text):
    """What a browser would load or follow outside the page; names of XML namespaces are not."""
    text = re.sub(r'xmlns(:\w+)?="[^"]*"', "", text)
    return re.findall(r"(?:https?:)?//[\w.-]+\.\w+|@import|url\((?!#)", text)


def save(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, ensure_ascii=False))
    return path
