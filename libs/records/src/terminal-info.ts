import { flag, integer, number, text } from './field';

/** The terminal itself. */
export const terminalInfoFields = {
  community_account: flag(false),
  community_connection: flag(false),
  connected: flag(true, 'The terminal is connected to the trade server.'),
  dlls_allowed: flag(false),
  trade_allowed: flag(true),
  tradeapi_disabled: flag(false),
  email_enabled: flag(false),
  ftp_enabled: flag(false),
  notifications_enabled: flag(false),
  mqid: flag(false),
  build: integer(4150),
  maxbars: integer(100000),
  codepage: integer(0),
  ping_last: integer(78077, 'Microseconds.'),
  community_balance: number(0),
  retransmission: number(0, 'Percent.'),
  company: text('MetaQuotes Ltd.'),
  name: text('MetaTrader 5'),
  language: text('English'),
  path: text('C:\\Program Files\\MetaTrader 5'),
  data_path: text('C:\\Program Files\\MetaTrader 5'),
  commondata_path: text(''),
};
