"""Whether what a reply cites exists: a file of the project that may be looked at, and the line in it."""

from __future__ import annotations

from debateroom.messages import Citation
from debateroom.project.folder import Project, Refused
from debateroom.reading.citations import citations


def checked(project: Project, text: str) -> tuple[Citation, ...]:
    """The citations in `text`, each with whether it is there. What may not be looked at counts as not there."""
    lengths: dict[str, int] = {}
    found = []
    for cited in citations(text):
        if cited.path not in lengths:
            lengths[cited.path] = _length(project, cited.path)
        found.append(Citation(cited.text, 1 <= cited.first <= cited.last <= lengths[cited.path]))
    return tuple(found)


def _length(project: Project, path: str) -> int:
    """Lines of a file; 0 for one that is not there."""
    try:
        return len(project.read(path).lines)
    except Refused:
        return 0
