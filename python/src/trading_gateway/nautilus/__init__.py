"""The account of a gateway as a venue of NautilusTrader 2: clients for data and execution.

Needs Python 3.12 and the extra `nautilus`.

See docs/nautilus.md of the repository.
"""

from ._config import (
    VENUE,
    GatewayDataClientConfig,
    GatewayExecutionClientConfig,
    execution_client_config,
    execution_engine_config,
)
from ._data import GatewayDataClient, GatewayDataClientFactory
from ._execution import GatewayExecutionClient, GatewayExecutionClientFactory
from ._instruments import GatewayInstrumentProvider, Unsupported, instrument_of

__all__ = [
    "VENUE",
    "GatewayDataClient",
    "GatewayDataClientConfig",
    "GatewayDataClientFactory",
    "GatewayExecutionClient",
    "GatewayExecutionClientConfig",
    "GatewayExecutionClientFactory",
    "GatewayInstrumentProvider",
    "Unsupported",
    "execution_client_config",
    "execution_engine_config",
    "instrument_of",
]
