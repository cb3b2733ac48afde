"""The MetaTrader5 package over a trading gateway, on any system.

The same functions, constants, records and errors as the package of MetaQuotes. The gateway comes from GATEWAY_URL and API_KEY. See
docs/metatrader5.md of the repository.
"""

from ._constants import *
from ._functions import (
    Buy as Buy,
    Close as Close,
    Sell as Sell,
    _RawOrder as _RawOrder,
    account_info as account_info,
    copy_rates_from as copy_rates_from,
    copy_rates_from_pos as copy_rates_from_pos,
    copy_rates_range as copy_rates_range,
    copy_ticks_from as copy_ticks_from,
    copy_ticks_range as copy_ticks_range,
    history_deals_get as history_deals_get,
    history_deals_total as history_deals_total,
    history_orders_get as history_orders_get,
    history_orders_total as history_orders_total,
    initialize as initialize,
    last_error as last_error,
    login as login,
    market_book_add as market_book_add,
    market_book_get as market_book_get,
    market_book_release as market_book_release,
    order_calc_margin as order_calc_margin,
    order_calc_profit as order_calc_profit,
    order_check as order_check,
    order_send as order_send,
    orders_get as orders_get,
    orders_total as orders_total,
    positions_get as positions_get,
    positions_total as positions_total,
    shutdown as shutdown,
    symbol_info as symbol_info,
    symbol_info_tick as symbol_info_tick,
    symbol_select as symbol_select,
    symbols_get as symbols_get,
    symbols_total as symbols_total,
    terminal_info as terminal_info,
    version as version,
)
from ._records import (
    AccountInfo as AccountInfo,
    BookInfo as BookInfo,
    OrderCheckResult as OrderCheckResult,
    OrderSendResult as OrderSendResult,
    SymbolInfo as SymbolInfo,
    TerminalInfo as TerminalInfo,
    Tick as Tick,
    TradeDeal as TradeDeal,
    TradeOrder as TradeOrder,
    TradePosition as TradePosition,
    TradeRequest as TradeRequest,
)

__version__ = "5.0.6231"
__author__ = "MetaQuotes Ltd."
