"""Answers as one HTML page that needs nothing else: no script, no image, no request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from rag.export import entries as about
from rag.export.entries import MARKER, Entries, Entry

TEMPLATE = Path(__file__).with_name("page.html.j2")
Mark = Callable[[str], Markup]
"""From a marker's number to what is shown for it."""
_DISABLED = ["link", "image", "autolink", "html_inline", "html_block", "reference", "entity"]


def write_page(entries: Entries, path: Path) -> None:
    """The page, written piece by piece."""
    from jinja2 import Environment

    # The template is trusted; all that it is given is escaped unless it is Markup made here.
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    counts = Counter(entry["status"] for entry in entries())
    stream = template.stream(
        entries=entries,
        counts={name: counts[name] for name in ("answered", "partial", "not_found", "error") if counts[name]},
        total=counts.total(),
        about=about,
        body=body,
    )
    stream.enable_buffering(64)
    with path.open("w", encoding="utf-8", errors="replace") as file:
        file.writelines(stream)


def body(entry: Entry, number: int) -> Markup:
    """The answer's text, its markers linked to the sources below it. Of a model's Markdown no links and images."""
    if entry["status"] == "error":
        return Markup("<p>{}</p>").format(about.text(entry))
    known = {citation["number"] for citation in entry.get("citations") or []}
    mark = partial(_mark, number, known)
    content = entry.get("answer") or ""
    if entry.get("mode") == "llm":
        return _markdown(content, mark)
    paragraphs = (Markup("<p>{}</p>").format(_marked(p.strip(), mark)) for p in content.split("\n\n") if p.strip())
    return Markup("\n").join(paragraphs)


def _mark(entry: int, known: set[int], number: str) -> Markup:
    if int(number) not in known:
        return escape(f"[{number}]")
    return Markup('<sup><a href="#s{0}-{1}" aria-label="Source {1}">{1}</a></sup>').format(entry, int(number))


def _marked(text: str, mark: Mark) -> Markup:
    """Escaped text with its markers; the space before a marker is not shown."""
    shown = Markup()
    end = 0
    for marker in MARKER.finditer(text):
        shown += escape(about.plain(text[end : marker.start()]).rstrip(" ")) + mark(marker[1])
        end = marker.end()
    return shown + escape(about.plain(text[end:]))


def _markdown(content: str, mark: Mark) -> Markup:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable(_DISABLED)
    tokens = parser.parse(content)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h3"
        for child in token.children or []:
            _set_marks(child, mark)
        token.content = about.plain(token.content)
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - the parser escapes all of it


def _set_marks(token: Token, mark: Mark) -> None:
    if token.type == "text":
        token.type, token.content = "html_inline", str(_marked(token.content, mark))
    else:
        token.content = about.plain(token.content)
