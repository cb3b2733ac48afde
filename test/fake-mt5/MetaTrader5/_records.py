"""The package's records and array columns, in its order."""

import operator
import os


def record_type(name, fields):
    """A struct sequence as the package has it: fields by name and `_asdict`, but no `_fields`, `_replace` or keywords."""
    names = tuple(fields.split())

    def asdict(self):
        return dict(zip(names, self))

    fields_by_name = {field: property(operator.itemgetter(place)) for place, field in enumerate(names)}
    return type(name, (tuple,), {"__slots__": (), "_asdict": asdict, "n_fields": len(names),
                                 "__match_args__": names, **fields_by_name})

AccountInfo = record_type("AccountInfo", """login trade_mode leverage limit_orders margin_so_mode trade_allowed trade_expert
    margin_mode currency_digits fifo_close balance credit profit equity margin margin_free margin_level margin_so_call
    margin_so_so margin_initial margin_maintenance assets liabilities commission_blocked name server currency company""")

TerminalInfo = record_type("TerminalInfo", """community_account community_connection connected dlls_allowed trade_allowed
    tradeapi_disabled email_enabled ftp_enabled notifications_enabled mqid build maxbars codepage ping_last community_balance
    retransmission company name language path data_path commondata_path""")

SymbolInfo = record_type("SymbolInfo", """custom chart_mode select visible session_deals session_buy_orders session_sell_orders
    volume volumehigh volumelow time digits spread spread_float ticks_bookdepth trade_calc_mode trade_mode start_time
    expiration_time trade_stops_level trade_freeze_level trade_exemode swap_mode swap_rollover3days margin_hedged_use_leg
    expiration_mode filling_mode order_mode order_gtc_mode option_mode option_right bid bidhigh bidlow ask askhigh asklow last
    lasthigh lastlow volume_real volumehigh_real volumelow_real option_strike point trade_tick_value trade_tick_value_profit
    trade_tick_value_loss trade_tick_size trade_contract_size trade_accrued_interest trade_face_value trade_liquidity_rate
    volume_min volume_max volume_step volume_limit swap_long swap_short margin_initial margin_maintenance session_volume
    session_turnover session_interest session_buy_orders_volume session_sell_orders_volume session_open session_close
    session_aw session_price_settlement session_price_limit_min session_price_limit_max margin_hedged price_change
    price_volatility price_theoretical price_greeks_delta price_greeks_theta price_greeks_gamma price_greeks_vega
    price_greeks_rho price_greeks_omega price_sensitivity basis category currency_base currency_profit currency_margin bank
    description exchange formula isin name page path""")

BookInfo = record_type("BookInfo", "type price volume volume_dbl")
Tick = record_type("Tick", "time bid ask last volume time_msc flags volume_real")

TradePosition = record_type("TradePosition", """ticket time time_msc time_update time_update_msc type magic identifier reason
    volume price_open sl tp price_current swap profit symbol comment external_id""")

TradeOrder = record_type("TradeOrder", """ticket time_setup time_setup_msc time_done time_done_msc time_expiration type type_time
    type_filling state magic position_id position_by_id reason volume_initial volume_current price_open sl tp price_current
    price_stoplimit symbol comment external_id""")

TradeDeal = record_type("TradeDeal", """ticket order time time_msc type entry magic position_id reason volume price commission
    swap profit fee symbol comment external_id""")

TradeRequest = record_type("TradeRequest", """action magic order symbol volume price stoplimit sl tp deviation type type_filling
    type_time expiration comment position position_by""")

OrderCheckResult = record_type("OrderCheckResult", """retcode balance equity profit margin margin_free margin_level comment
    request""")

OrderSendResult = record_type("OrderSendResult", """retcode deal order volume price bid ask comment request_id retcode_external
    request""")

RATE_TYPES = [("time", "<i8"), ("open", "<f8"), ("high", "<f8"), ("low", "<f8"), ("close", "<f8"), ("tick_volume", "<u8"),
              ("spread", "<i4"), ("real_volume", "<u8")]
TICK_TYPES = [("time", "<i8"), ("bid", "<f8"), ("ask", "<f8"), ("last", "<f8"), ("volume", "<u8"), ("time_msc", "<i8"),
              ("flags", "<u4"), ("volume_real", "<f8")]


def record(kind, answer, **more):
    """A record of this kind from an answer of the link; fields that the record does not have are dropped, as the package does."""
    values = {**answer, **more}
    return kind(values[name] for name in kind.__match_args__)


def array(types, columns):
    """A structured array, of NumPy where it is installed (FAKE_MT5_NUMPY=0 does without it all the same)."""
    try:
        if os.environ.get("FAKE_MT5_NUMPY") == "0":
            raise ImportError
        import numpy
    except ImportError:
        return PlainArray(types, columns)
    built = numpy.zeros(len(columns[types[0][0]]), dtype=types)
    for name, _ in types:
        built[name] = columns[name]
    return built


class PlainColumn(list):
    def tolist(self):
        return list(self)


class PlainArray:
    """The little of a structured array that the bridge may use: columns by name, and a length."""

    def __init__(self, types, columns):
        self.columns = {name: PlainColumn(float(cell) if kind == "<f8" else int(cell) for cell in columns[name])
                        for name, kind in types}

    def __getitem__(self, name):
        return self.columns[name]

    def __len__(self):
        return len(next(iter(self.columns.values())))
