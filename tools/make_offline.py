"""`make offline`: the site in one zip that opens from a disk, the same bytes for the same site, in _build/svt-site.zip.

Where Chromium is installed, a few pages are opened from an unpacked copy, as files: nothing may be missing.
"""

from __future__ import annotations

import sys
import tempfile
import time
import zipfile
from pathlib import Path

from chromium import WATCH, NoBrowser, executable, opened

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
OUTPUT = ROOT / "_build" / "svt-site.zip"
FOLDER = "svt-site"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip knows
OPENED = ("index.html", "book/intro.html", "book/claims.html", "chapters/03_above_threshold.html")


def pack(site: Path, output: Path) -> int:
    """Write the files of `site` to the zip `output`, in a fixed order, with fixed dates; return how many."""
    files = sorted(path for path in site.rglob("*") if path.is_file() and path.name != ".buildinfo")
    with zipfile.ZipFile(output, "w") as archive:
        for path in files:
            entry = zipfile.ZipInfo(f"{FOLDER}/{path.relative_to(site).as_posix()}", EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, path.read_bytes(), compresslevel=9)
    return len(files)


def faults(archive: Path, pages: tuple[str, ...] = OPENED) -> list[str]:
    """Unpack `archive` and open `pages` of it as files; return what is missing or fails."""
    found = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        zipfile.ZipFile(archive).extractall(folder)
        for name in pages:
            page = Path(folder) / FOLDER / name
            page.write_text(WATCH + page.read_text(encoding="utf-8"), encoding="utf-8")
            text, said = opened(page, "--dump-dom")
            found += [f"{name}: {fault}" for _, fault in said] + ([] if "<h1" in text else [f"{name}: no title"])
    return found


def main() -> int:
    """Pack, then look whether it opens."""
    started = time.monotonic()
    count = pack(HTML, OUTPUT)
    print(f"Zip: {count} files, {OUTPUT.stat().st_size / 1e6:.1f} MB: {OUTPUT}", flush=True)
    try:
        executable()
    except NoBrowser:
        print("Not opened to look: there is no Chromium here.")
        return 0
    wrong = faults(OUTPUT)
    print(
        "\n".join(["It does not open:", *wrong]) if wrong else f"Opens from files, {time.monotonic() - started:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
