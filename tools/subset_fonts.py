"""Make the web fonts in book/_static/vendor/fonts from the fonts as they are published.

A one-off tool: the results are committed.  In an empty folder,

    npm install @expo-google-fonts/source-serif-4@0.4.1 @expo-google-fonts/source-code-pro@0.4.1 \
        @expo-google-fonts/noto-sans-math@0.4.2 @expo-google-fonts/noto-sans-mono@0.4.2 \
        @expo-google-fonts/noto-sans-symbols-2@0.4.1
    python3 -m venv env && env/bin/pip install fonttools brotli  # 4.68.0 and 1.2.1 made these
    env/bin/python .../tools/subset_fonts.py .

The packages carry the files of Google Fonts unchanged; the same input gives the same bytes.
The icons are those of the theme, from its installed files; the subset takes the place of the whole.
A changed font may not carry a reserved name, so each says what it is for and keeps the copyright of its source.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset  # writing woff2 needs brotli beside it

ROOT = Path(__file__).resolve().parent.parent
VENDOR = ROOT / "book" / "_static" / "vendor"
ICONS = "fontawesome/webfonts/fa-solid-900.woff2"

LATIN = "0020-007E 00A0-00FF 0106-0107 010C-010D 0131 0141-0142 0150-0153 0160-0161 017D-017E 0300-0304"
MARKS = "2009-2015 2018-201E 2020-2022 2026 202F 2032-2033"
GREEK = "0391-03A9 03B1-03C9 03D5 03F5"
SIGNS = (
    "2070-208E 2090-209C 2190-2193 21D2 2202 2206 220F 2211-2212 221A 221E 2227-222B 2248 2260 2264-2265 "
    "25A0 25B2 25BC 25C6-25C7 25CB 25CF"
)
TEXT = f"{LATIN} {MARKS} {GREEK} {SIGNS}"
# What the two faces lack: the answers ⊥ and ⊤ and other mathematics, and the two signs of a verdict.
MATHEMATICS = "2016 2208 220E 221D 2286 22A4-22A5 25A2 27E8-27E9 27F6"
MONOSPACED = "1D62 2016 207B 2098 2208 220E 2286 22A4-22A5 27E8-27E9"
VERDICTS = "2713 2717"
FEATURES = ["kern", "liga", "ccmp", "mark", "mkmk", "locl"]

FONTS = {
    "SVT Text Regular": ("source-serif-4/400Regular/SourceSerif4_400Regular.ttf", TEXT, FEATURES),
    "SVT Text Italic": ("source-serif-4/400Regular_Italic/SourceSerif4_400Regular_Italic.ttf", TEXT, FEATURES),
    "SVT Text Semibold": ("source-serif-4/600SemiBold/SourceSerif4_600SemiBold.ttf", TEXT, [*FEATURES, "smcp"]),
    "SVT Mono Regular": ("source-code-pro/400Regular/SourceCodePro_400Regular.ttf", TEXT, ["mark"]),
    "SVT Mathematics": ("noto-sans-math/400Regular/NotoSansMath_400Regular.ttf", MATHEMATICS, []),
    "SVT Mathematics Mono": ("noto-sans-mono/400Regular/NotoSansMono_400Regular.ttf", MONOSPACED, []),
    "SVT Verdicts": ("noto-sans-symbols-2/400Regular/NotoSansSymbols2_400Regular.ttf", VERDICTS, []),
}


def codes(ranges: str) -> list[int]:
    """The code points of "0020-007E 00A0"."""
    ends = [[int(end, 16) for end in part.split("-")] for part in ranges.split()]
    return [code for first, *last in ends for code in range(first, (last or [first])[0] + 1)]


def write(source: Path, target: Path, name: str, ranges: str, features: list[str]) -> None:
    """Write one font, and say its size."""
    options = subset.Options(
        flavor="woff2", layout_features=features, hinting=False, recalc_timestamp=False, notdef_outline=True
    )
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codes(ranges))
    subsetter.subset(font)
    for record in list(font["name"].names):
        if record.nameID in (1, 3, 4, 16):
            record.string = name
        elif record.nameID == 6:
            record.string = name.replace(" ", "")
        elif record.nameID not in (0, 2, 5, 13, 14):
            font["name"].names.remove(record)
    subset.save_font(font, str(target), options)
    print(f"{target.name}: {target.stat().st_size:,} bytes")


def main(folder: Path) -> None:
    """Write every font."""
    for name, (file, ranges, features) in FONTS.items():
        source = folder / "node_modules" / "@expo-google-fonts" / file
        write(source, VENDOR / "fonts" / f"{name.lower().replace(' ', '-')}.woff2", name, ranges, features)
    (whole,) = ROOT.glob(f".venv/lib/*/site-packages/pydata_sphinx_theme/theme/*/static/vendor/{ICONS}")
    icons = (VENDOR / "fontawesome" / "icons.txt").read_text(encoding="utf-8")
    write(whole, VENDOR / ICONS, "SVT Icons", icons, [])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
