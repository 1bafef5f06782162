"""The learning curve of ``errorbar reproduce tetreault-chodorow2008`` as a picture, the published point in it."""

from __future__ import annotations

from errorbar.formats.saving import save_bytes
from errorbar.reporting.charts.learning_chart import learning_chart
from errorbar.reporting.export import Picture, draw_spec
from errorbar.reproduce.native_text import curves, published_point, selection
from errorbar.reproduce.sources import Sources


def draw_curves(sources: Sources, path: str, picture: Picture) -> None:
    """Write the picture; ``sources`` must name text and models.

    Raises:
        InputError: If the file cannot be written.
        MissingExtraError: If the library that draws is not installed.
    """
    found = selection(sources)
    assert found is not None
    save_bytes(draw_spec(learning_chart(curves(found), published_point()), picture), path)
