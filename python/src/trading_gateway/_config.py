"""Which gateway is meant."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_URL = "http://127.0.0.1:5001"


@dataclass(frozen=True)
class Address:
    """A gateway and its key."""

    url: str
    api_key: str = field(repr=False)


def gateways_file() -> Path:
    """The file that maps logins to gateways: `{"100001": {"url": ..., "api_key": ...}}`."""
    given = os.environ.get("GATEWAYS_FILE")
    return Path(given) if given else Path.home() / ".config" / "trading-gateway" / "gateways.json"


def address_of(login: int | None = None, *, url: str | None = None, api_key: str | None = None) -> Address:
    """What is given counts first, then GATEWAY_URL and API_KEY, then the entry of the login in `gateways_file`.

    Raises ValueError for a file that cannot be read: another account must not be traded because of a typing error.
    """
    listed = {} if url or os.environ.get("GATEWAY_URL") else _listed(login)
    return Address(
        (url or os.environ.get("GATEWAY_URL") or listed.get("url") or DEFAULT_URL).rstrip("/"),
        api_key or os.environ.get("API_KEY") or listed.get("api_key") or "",
    )


def _listed(login: int | None) -> dict[str, str]:
    path = gateways_file()
    if login is None:
        return {}
    try:
        entries = json.loads(path.read_text("utf-8"))
        entry = entries.get(str(login), {})
        return {name: str(entry[name]) for name in ("url", "api_key") if name in entry}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, TypeError) as problem:
        raise ValueError(f"{path} cannot be read: {problem}") from problem
