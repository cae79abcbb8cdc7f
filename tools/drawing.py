"""Parts of the SVG figures that the tools write."""

# The palette of Okabe and Ito, safe for color-blind readers.
BLUE, ORANGE, GREEN, GRAY, PURPLE = "#0072b2", "#d55e00", "#007a5a", "#8a939d", "#b5558a"


def svg(width, height, title, parts):
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="system-ui, sans-serif" font-size="13">',
            f"<title>{title}</title>",
            "<style>text{fill:#1b1f24}.grid{stroke:#d8dde3}.on{fill:#fff}</style>",
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def short(x):
    """A coordinate: to a tenth."""
    return f"{x:.1f}".removesuffix(".0")


def points_of(pairs):
    """The points of a polyline."""
    return " ".join(f"{short(x)},{short(y)}" for x, y in pairs)


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{short(x)}" y="{short(y)}" text-anchor="{anchor}"{more}>{words}</text>'
