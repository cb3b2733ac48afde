import {
  type AccountInfo,
  AccountTradeMode,
  StopoutMode,
  type TerminalInfo,
  type TradePosition,
} from '@libs/terminal-client';
import { difference, sumRounded } from '../money/decimals';
import type { AccountOptions } from '../simulator-options';
import { marginModes } from '../trading/desk';
import type { Valuation } from '../trading/valuation';

export interface TradingSwitches {
  readonly account: boolean;
  readonly server: boolean;
}

/** The account's record at the market's present instant. */
export function accountRecord(
  account: AccountOptions,
  login: number,
  valuation: Valuation,
  allowed: TradingSwitches,
): AccountInfo {
  const sums = valuation.sums();
  return {
    login,
    trade_mode: AccountTradeMode.DEMO,
    leverage: account.leverage,
    limit_orders: account.limitOrders,
    margin_so_mode: account.stopoutMode === 'percent' ? StopoutMode.PERCENT : StopoutMode.MONEY,
    trade_allowed: allowed.account,
    trade_expert: allowed.server,
    margin_mode: marginModes[account.marginMode],
    currency_digits: account.currencyDigits,
    fifo_close: account.marginMode === 'hedging' && account.fifoClose,
    balance: sums.balance,
    credit: 0,
    profit: sums.profit,
    equity: sums.equity,
    margin: sums.margin,
    margin_free: sums.marginFree,
    margin_level: sums.marginLevel,
    margin_so_call: account.marginCall,
    margin_so_so: account.stopOut,
    margin_initial: 0,
    margin_maintenance: 0,
    assets: 0,
    liabilities: 0,
    commission_blocked: 0,
    name: account.name,
    server: account.server,
    currency: account.currency,
    company: account.company,
  };
}

/** The account as a terminal computes it from the positions that it lists: their profit, and margin only for them. */
export function withSumsOf(account: AccountInfo, listed: readonly TradePosition[]): AccountInfo {
  const { balance, credit, currency_digits: digits } = account;
  const profit = listed.reduce((total, position) => sumRounded(total, position.profit, digits), 0);
  // Each lot needs some margin: whether an account shows any tells whether something is open.
  const margin = listed.length === 0 ? 0 : Math.max(account.margin, 1);
  const equity = sumRounded(sumRounded(balance, credit, digits), profit, digits);
  const level = margin === 0 ? 0 : (equity / margin) * 100;
  return { ...account, profit, margin, equity, margin_free: difference(equity, margin), margin_level: level };
}

/** The account before money of deals that is booked later. @param money in the deposit currency; costs are negative */
export function withoutMoney(account: AccountInfo, money: number): AccountInfo {
  if (money === 0) return account;
  const { currency_digits: digits, margin } = account;
  const less = (amount: number): number => sumRounded(amount, -money, digits);
  const equity = less(account.equity);
  const level = margin === 0 ? 0 : (equity / margin) * 100;
  return {
    ...account,
    balance: less(account.balance),
    equity,
    margin_free: less(account.margin_free),
    margin_level: level,
  };
}

/** The terminal's own record. */
export function terminalRecord(
  company: string,
  connected: boolean,
  { tradeAllowed, apiDisabled }: { readonly tradeAllowed: boolean; readonly apiDisabled: boolean },
): TerminalInfo {
  return {
    community_account: false,
    community_connection: false,
    connected,
    dlls_allowed: false,
    trade_allowed: tradeAllowed,
    tradeapi_disabled: apiDisabled,
    email_enabled: false,
    ftp_enabled: false,
    notifications_enabled: false,
    mqid: false,
    build: 5_000,
    maxbars: 10_000_000,
    codepage: 0,
    ping_last: connected ? 850 : 0,
    community_balance: 0,
    retransmission: 0,
    company,
    name: 'Simulated terminal',
    language: 'English',
    path: '',
    data_path: '',
    commondata_path: '',
  };
}
