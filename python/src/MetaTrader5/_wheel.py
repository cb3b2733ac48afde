"""Writes a wheel named `metatrader5` that depends on this distribution, for packages that require that name: pip finds no wheel of it
for Linux and macOS. It is for your own machine; it is published nowhere.

    python -m MetaTrader5._wheel [FOLDER]
"""

from __future__ import annotations

import base64
import hashlib
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

from . import __version__


def write(folder: Path) -> Path:
    """The path of the wheel."""
    info = f"metatrader5-{__version__}.dist-info"
    ours = version("trading-gateway")
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: MetaTrader5\nVersion: {__version__}\nRequires-Dist: trading-gateway=={ours}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: trading-gateway\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},{_digest(text)},{len(text)}\n" for name, text in files.items())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"metatrader5-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, text in {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            wheel.writestr(name, text)
    return path


def _digest(text: str) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def main() -> None:
    print(write(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))


if __name__ == "__main__":
    main()
