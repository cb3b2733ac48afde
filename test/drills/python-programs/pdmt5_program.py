"""pdmt5 from PyPI, unmodified, on the MetaTrader5 package of python/."""

import datetime

from pdmt5 import Mt5Config, Mt5DataClient

now = datetime.datetime.now(datetime.timezone.utc)
hour = datetime.timedelta(hours=1)
with Mt5DataClient(config=Mt5Config(login=100001, server="Simulator-Demo", timeout=60000)) as client:
    mt5 = client.mt5
    assert client.account_info_as_df().login[0] == 100001
    assert client.version_as_dict()["build"] == client.terminal_info_as_dict()["build"]
    assert client.symbol_info_as_dict("EURUSD")["digits"] == 5
    assert "EURUSD" in set(client.symbols_get_as_df().name)
    assert client.copy_rates_from_pos_as_df("EURUSD", mt5.TIMEFRAME_M1, 0, 10).shape == (10, 8)
    assert client.copy_rates_range_as_df("EURUSD", mt5.TIMEFRAME_H1, now - 96 * hour, now).shape[0] > 10
    assert client.copy_ticks_from_as_df("EURUSD", now - 96 * hour, 10, mt5.COPY_TICKS_ALL).shape == (10, 8)
    request = {"action": mt5.TRADE_ACTION_DEAL, "symbol": "EURUSD", "volume": 0.1, "type": mt5.ORDER_TYPE_BUY}
    request = {**request, "type_filling": mt5.ORDER_FILLING_IOC, "type_time": mt5.ORDER_TIME_GTC}
    assert client.order_check_as_dict(request)["retcode"] == 0
    sent = client.order_send_as_dict(request)
    assert sent["retcode"] == mt5.TRADE_RETCODE_DONE
    assert client.positions_get_as_df().ticket.tolist() == [sent["order"]]
    closed = client.order_send_as_dict({**request, "type": mt5.ORDER_TYPE_SELL, "position": sent["order"]})
    assert closed["retcode"] == mt5.TRADE_RETCODE_DONE
    assert client.history_deals_get_as_df(position=sent["order"]).shape == (2, 18)
    assert client.positions_get_as_df().empty and client.orders_get_as_df().empty
print("pdmt5: done")
