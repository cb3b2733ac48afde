import { OrderTime, Retcode, type TradeRequest } from '@libs/terminal-client';
import type { Market, MarketSymbol } from '../market/market';
import { type Refusal, refusal } from './refusal';

const DAY_SECONDS = 86_400;
/** How far ahead the next trading time is looked for, in minutes. */
const LOOK_AHEAD = 14 * 1_440;

type ExpirationFields = Pick<TradeRequest, 'type_time' | 'expiration'>;

/** Whether the symbol permits the expiration policy, and whether the time is still to come. */
export function expirationRefusal(market: Market, symbol: MarketSymbol, fields: ExpirationFields): Refusal | null {
  const { type_time: policy, expiration } = fields;
  const isKnown = Number.isInteger(policy) && policy >= OrderTime.GTC && policy <= OrderTime.SPECIFIED_DAY;
  if (!isKnown || (symbol.spec.expiration_mode & (1 << policy)) === 0) return refusal(Retcode.INVALID_EXPIRATION);
  if (policy === OrderTime.GTC || policy === OrderTime.DAY) return null;
  const isAhead = Number.isFinite(expiration) && expiresMs(market, symbol, fields) > market.nowMs;
  return expiration > 0 && isAhead ? null : refusal(Retcode.INVALID_EXPIRATION);
}

/** The instant at which an order expires, in UTC milliseconds; 0 is never. */
export function expiresMs(market: Market, symbol: MarketSymbol, { type_time, expiration }: ExpirationFields): number {
  switch (type_time) {
    case OrderTime.DAY:
      return market.clock.nextMidnightUtcMs(market.nowMs);
    case OrderTime.SPECIFIED:
      return market.clock.utcMs(expiration * 1_000);
    case OrderTime.SPECIFIED_DAY: {
      const dayEnd = (Math.floor(expiration / DAY_SECONDS) + 1) * DAY_SECONDS - 1;
      return inSession(symbol, market.clock.utcMs(dayEnd * 1_000));
    }
    default:
      return 0;
  }
}

/** An instant, or the next trading time when the symbol is closed at it. */
function inSession({ hours }: MarketSymbol, utcMs: number): number {
  for (let minute = 0; minute < LOOK_AHEAD; minute++) {
    const at = utcMs + minute * 60_000;
    if (hours.isOpen(at)) return at;
  }
  return utcMs;
}
