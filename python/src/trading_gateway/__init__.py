"""A client of the trading gateway. `Gateway` blocks, `AsyncGateway` is for asyncio; both have the same methods.

See docs/python.md of the repository.
"""

from ._config import Address, address_of
from ._errors import GatewayError, NotReached, Refused
from ._gateway import Events, Gateway
from ._gateway_async import AsyncEvents, AsyncGateway
from ._generated import *
from ._rows import BARS, TICKS, Columns, Event, Instant, Table
from ._transport import UnknownOutcome
from ._transport_async import AsyncUnknownOutcome
from ._wire import TradeRequest

__version__ = "0.3.0"
