"""Lists that come in pages."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generic, Iterator, List, Optional, TypeVar

T = TypeVar("T")


class Page(Generic[T]):
    """One page of a list."""

    def __init__(self, answer: Dict[str, Any]) -> None:
        #: What was answered, with the fields that only some lists have.
        self.answer = answer
        self.items: List[T] = answer["items"]
        #: Cursor of the next page; None: there is none.
        self.next_cursor: Optional[str] = answer["nextCursor"]


class Paged(Generic[T]):
    """A list: go through all of its items, or take its first `page()`. Nothing is asked before one of the two."""

    def __init__(self, read: Callable[[Optional[str]], Dict[str, Any]]) -> None:
        self._read = read

    def page(self) -> Page[T]:
        """Reads the first page."""
        return Page(self._read(None))

    def pages(self) -> Iterator[Page[T]]:
        """Yields page after page."""
        cursor: Optional[str] = None
        while True:
            page: Page[T] = Page(self._read(cursor))
            yield page
            # A log always has a place to go on from; `more` says whether there is something yet.
            if page.next_cursor is None or not page.answer.get("more", True):
                return
            cursor = page.next_cursor

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.items
