/**
 * Trade server return codes (docs: "Return codes of the trade server") with the class a client should give each.
 *
 * - `done`: the request took effect, wholly or in part.
 * - `rejected`: it is proven that nothing was done; `retryable` when the very same request may succeed later.
 * - `unknown`: the server may have acted; the outcome has to be looked up before anything is sent again.
 */
export type RetcodeClass = 'done' | 'rejected' | 'unknown';

interface RetcodeFacts {
  readonly name: string;
  readonly outcome: RetcodeClass;
  readonly retryable: boolean;
}

const done = (name: string): RetcodeFacts => ({ name, outcome: 'done', retryable: false });
const rejected = (name: string): RetcodeFacts => ({ name, outcome: 'rejected', retryable: false });
const retryable = (name: string): RetcodeFacts => ({ name, outcome: 'rejected', retryable: true });
const unknown = (name: string): RetcodeFacts => ({ name, outcome: 'unknown', retryable: false });

export const Retcode = {
  REQUOTE: 10004,
  REJECT: 10006,
  CANCEL: 10007,
  PLACED: 10008,
  DONE: 10009,
  DONE_PARTIAL: 10010,
  ERROR: 10011,
  TIMEOUT: 10012,
  INVALID: 10013,
  INVALID_VOLUME: 10014,
  INVALID_PRICE: 10015,
  INVALID_STOPS: 10016,
  TRADE_DISABLED: 10017,
  MARKET_CLOSED: 10018,
  NO_MONEY: 10019,
  PRICE_CHANGED: 10020,
  PRICE_OFF: 10021,
  INVALID_EXPIRATION: 10022,
  ORDER_CHANGED: 10023,
  TOO_MANY_REQUESTS: 10024,
  NO_CHANGES: 10025,
  SERVER_DISABLES_AT: 10026,
  CLIENT_DISABLES_AT: 10027,
  LOCKED: 10028,
  FROZEN: 10029,
  INVALID_FILL: 10030,
  CONNECTION: 10031,
  ONLY_REAL: 10032,
  LIMIT_ORDERS: 10033,
  LIMIT_VOLUME: 10034,
  INVALID_ORDER: 10035,
  POSITION_CLOSED: 10036,
  INVALID_CLOSE_VOLUME: 10038,
  CLOSE_ORDER_EXIST: 10039,
  LIMIT_POSITIONS: 10040,
  REJECT_CANCEL: 10041,
  LONG_ONLY: 10042,
  SHORT_ONLY: 10043,
  CLOSE_ONLY: 10044,
  FIFO_CLOSE: 10045,
  HEDGE_PROHIBITED: 10046,
} as const;
export type Retcode = (typeof Retcode)[keyof typeof Retcode];

/** Total over {@link Retcode} by the compiler: a new code does not build without its class. */
const facts: Record<Retcode, RetcodeFacts> = {
  10004: retryable('REQUOTE'),
  10006: rejected('REJECT'),
  10007: rejected('CANCEL'),
  10008: done('PLACED'),
  10009: done('DONE'),
  10010: done('DONE_PARTIAL'),
  10011: unknown('ERROR'),
  10012: unknown('TIMEOUT'),
  10013: rejected('INVALID'),
  10014: rejected('INVALID_VOLUME'),
  10015: rejected('INVALID_PRICE'),
  10016: rejected('INVALID_STOPS'),
  10017: rejected('TRADE_DISABLED'),
  10018: retryable('MARKET_CLOSED'),
  10019: rejected('NO_MONEY'),
  10020: retryable('PRICE_CHANGED'),
  10021: retryable('PRICE_OFF'),
  10022: rejected('INVALID_EXPIRATION'),
  10023: rejected('ORDER_CHANGED'),
  10024: retryable('TOO_MANY_REQUESTS'),
  10025: rejected('NO_CHANGES'),
  10026: rejected('SERVER_DISABLES_AT'),
  10027: rejected('CLIENT_DISABLES_AT'),
  10028: retryable('LOCKED'),
  10029: rejected('FROZEN'),
  10030: rejected('INVALID_FILL'),
  10031: unknown('CONNECTION'),
  10032: rejected('ONLY_REAL'),
  10033: rejected('LIMIT_ORDERS'),
  10034: rejected('LIMIT_VOLUME'),
  10035: rejected('INVALID_ORDER'),
  10036: rejected('POSITION_CLOSED'),
  10038: rejected('INVALID_CLOSE_VOLUME'),
  10039: rejected('CLOSE_ORDER_EXIST'),
  10040: rejected('LIMIT_POSITIONS'),
  10041: rejected('REJECT_CANCEL'),
  10042: rejected('LONG_ONLY'),
  10043: rejected('SHORT_ONLY'),
  10044: rejected('CLOSE_ONLY'),
  10045: rejected('FIFO_CLOSE'),
  10046: rejected('HEDGE_PROHIBITED'),
};

const catalogue = new Map<number, RetcodeFacts>(
  Object.entries(facts).map(([code, retcodeFacts]) => [Number(code), retcodeFacts]),
);

/** The class of a return code; one that is not in the catalogue proves nothing, so it is `unknown`. */
export function retcodeClass(retcode: number): RetcodeClass {
  return catalogue.get(retcode)?.outcome ?? 'unknown';
}

/** The terminal's name without its prefix, `UNKNOWN_<n>` for a code that is not in the catalogue. */
export function retcodeName(retcode: number): string {
  return catalogue.get(retcode)?.name ?? `UNKNOWN_${retcode}`;
}

/** True when nothing was done and the very same request may succeed later. */
export function isRetryable(retcode: number): boolean {
  return catalogue.get(retcode)?.retryable ?? false;
}
