"""Asks for CUSTOM_USER and PASSWORD before the desktop's page or its screen is served (a websockify plugin).

Unlike websockify's own, it takes the credentials from the environment: arguments can be read by every process.
"""

import base64
import binascii
import hmac
import os

from websockify.auth_plugins import AuthenticationError


class DesktopAuth:
    """HTTP basic authentication, compared in constant time."""

    def __init__(self, _source=None):
        self.expected = ("%s:%s" % (os.environ["CUSTOM_USER"], os.environ["PASSWORD"])).encode()

    def authenticate(self, headers, target_host, target_port):
        """Lets the request through, or answers 401."""
        scheme, _, encoded = (headers.get("Authorization") or "").partition(" ")
        try:
            given = base64.b64decode(encoded, validate=True) if scheme.lower() == "basic" else b""
        except (binascii.Error, ValueError):
            given = b""
        if not hmac.compare_digest(given, self.expected):
            raise AuthenticationError(response_code=401, response_headers={"WWW-Authenticate": 'Basic realm="desktop"'})
