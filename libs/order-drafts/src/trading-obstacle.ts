import {
  isBuyOrder,
  LastErrorCode,
  Retcode,
  SymbolTradeMode,
  type AccountInfo,
  type SymbolInfo,
  type TerminalInfo,
} from '@libs/terminal-client';
import { OrderRefusal } from './refusal';

/** What keeps the terminal, the account or the symbol from taking an order, whatever the order is. */
export type TradingObstacle =
  | 'algo_trading_off'
  | 'api_trading_off'
  | 'account_read_only'
  | 'account_disabled'
  | 'programs_forbidden'
  | 'symbol_disabled'
  | 'symbol_close_only'
  | 'symbol_long_only'
  | 'symbol_short_only';

/** What each of them is and what to do, for people. @param symbol of the order */
export function obstacleText(obstacle: TradingObstacle, symbol = 'the symbol'): string {
  switch (obstacle) {
    case 'algo_trading_off':
      return 'the terminal does not let programs trade: press its button "Algo Trading", or set TERMINAL_ENABLE_ALGO_TRADING to 1 and restart';
    case 'api_trading_off':
      return 'the terminal rejects every order of a program: its option "Disable algorithmic trading via external Python API" is on';
    case 'account_read_only':
      return 'the account may not trade: it is logged in with its investor password (check TERMINAL_PASSWORD), or the broker permits it to read only';
    case 'account_disabled':
      return 'the broker has disabled trading for the account: ask the broker';
    case 'programs_forbidden':
      return "the broker's server forbids programs to trade on this account: ask the broker to permit it";
    case 'symbol_disabled':
      return `the broker has disabled trading of ${symbol}`;
    case 'symbol_close_only':
      return `${symbol} is close-only at the broker: positions can be closed, not opened`;
    case 'symbol_long_only':
      return `${symbol} is long-only at the broker: it can be bought, not sold`;
    case 'symbol_short_only':
      return `${symbol} is short-only at the broker: it can be sold, not bought`;
  }
}

/** What keeps every order of the account from being taken, as the terminal states it; null if nothing does. */
export function accountObstacle(
  terminal: Pick<TerminalInfo, 'trade_allowed' | 'tradeapi_disabled'>,
  account: Pick<AccountInfo, 'trade_allowed' | 'trade_expert'>,
): TradingObstacle | null {
  if (!account.trade_allowed) return 'account_read_only';
  if (!account.trade_expert) return 'programs_forbidden';
  if (terminal.tradeapi_disabled) return 'api_trading_off';
  return terminal.trade_allowed ? null : 'algo_trading_off';
}

/** What keeps an order that opens a position from being taken by its symbol's trade mode; null if nothing does. */
function symbolObstacle(type: number, { trade_mode }: Pick<SymbolInfo, 'trade_mode'>): TradingObstacle | null {
  if (trade_mode === SymbolTradeMode.DISABLED) return 'symbol_disabled';
  if (trade_mode === SymbolTradeMode.CLOSEONLY) return 'symbol_close_only';
  if (trade_mode === SymbolTradeMode.LONGONLY && !isBuyOrder(type)) return 'symbol_long_only';
  return trade_mode === SymbolTradeMode.SHORTONLY && isBuyOrder(type) ? 'symbol_short_only' : null;
}

/**
 * Refuses an entry whose symbol the broker does not trade in its direction. On a netting account it may reduce a position,
 * which the broker decides, except for a disabled symbol.
 */
export function symbolTradable(
  { type }: { readonly type: number },
  info: Pick<SymbolInfo, 'name' | 'trade_mode'>,
  isHedging: boolean,
): OrderRefusal | null {
  const obstacle = symbolObstacle(type, info);
  if (obstacle === null || (!isHedging && obstacle !== 'symbol_disabled')) return null;
  return new OrderRefusal('broker_rejected', obstacleText(obstacle, info.name), {
    retryable: false,
    reason: obstacle,
    field: 'symbol',
  });
}

/** The request that was rejected, as far as it explains the rejection. */
export interface RejectedRequest {
  readonly info?: Pick<SymbolInfo, 'name' | 'trade_mode'>;
  /** Names of the fillings that its symbol permits. */
  readonly fillings?: readonly string[];
  /** What the terminal states of the account and itself. */
  readonly obstacle?: TradingObstacle | null;
  /** Decimals of the account currency, for sums. */
  readonly currencyDigits?: number | undefined;
}

const byRetcode: Readonly<Partial<Record<number, TradingObstacle>>> = {
  [Retcode.CLIENT_DISABLES_AT]: 'algo_trading_off',
  [Retcode.SERVER_DISABLES_AT]: 'programs_forbidden',
  [Retcode.LONG_ONLY]: 'symbol_long_only',
  [Retcode.SHORT_ONLY]: 'symbol_short_only',
  [Retcode.CLOSE_ONLY]: 'symbol_close_only',
};

/** The return code of an obstacle; null for the option of the terminal, which has an error code instead. */
export function obstacleRetcode(obstacle: TradingObstacle): Retcode | null {
  switch (obstacle) {
    case 'algo_trading_off':
      return Retcode.CLIENT_DISABLES_AT;
    case 'programs_forbidden':
      return Retcode.SERVER_DISABLES_AT;
    case 'account_read_only':
    case 'account_disabled':
    case 'symbol_disabled':
      return Retcode.TRADE_DISABLED;
    case 'symbol_close_only':
      return Retcode.CLOSE_ONLY;
    case 'symbol_long_only':
      return Retcode.LONG_ONLY;
    case 'symbol_short_only':
      return Retcode.SHORT_ONLY;
    case 'api_trading_off':
      return null;
  }
}

/** The obstacle behind a rejection; null if it was about the order. 10017 is the same for account and symbol. */
export function obstacleOf(
  retcode: number | null,
  lastError: { readonly code: number } | null,
  { info, obstacle }: RejectedRequest,
): TradingObstacle | null {
  if (retcode === null) return lastError?.code === LastErrorCode.AUTO_TRADING_DISABLED ? 'api_trading_off' : null;
  if (retcode !== Retcode.TRADE_DISABLED) return byRetcode[retcode] ?? null;
  if (obstacle === 'account_read_only') return obstacle;
  if (info === undefined) return null;
  return info.trade_mode === SymbolTradeMode.DISABLED ? 'symbol_disabled' : 'account_disabled';
}
