import { GatewayReadError } from './read-error';

type Kind = 'number' | 'string' | 'boolean';

/** The members a record must have before anybody relies on it, by the type each must be of. */
export type Shape = Readonly<Record<string, Kind>>;

export const shapes = {
  account: { login: 'number', trade_mode: 'number', margin_mode: 'number', balance: 'number', equity: 'number' },
  symbol: { name: 'string', digits: 'number', point: 'number', volume_step: 'number' },
  symbolRow: { name: 'string', digits: 'number', visible: 'boolean' },
  tick: { time_msc: 'number', bid: 'number', ask: 'number' },
  bar: { time: 'string', time_server: 'number', open: 'number', high: 'number', low: 'number', close: 'number' },
  position: {
    ticket: 'number',
    magic: 'number',
    type: 'number',
    symbol: 'string',
    volume: 'number',
    price_open: 'number',
    swap: 'number',
    profit: 'number',
  },
  order: { ticket: 'number', magic: 'number', type: 'number', symbol: 'string', volume_current: 'number' },
  pastOrder: { ticket: 'number', state: 'number', position_id: 'number' },
  deal: {
    ticket: 'number',
    order: 'number',
    entry: 'number',
    position_id: 'number',
    volume: 'number',
    price: 'number',
    profit: 'number',
    commission: 'number',
    swap: 'number',
    fee: 'number',
  },
  summary: { ticket: 'number', symbol: 'string', closed: 'boolean', volume_opened: 'number', profit: 'number' },
  orderCheck: { valid: 'boolean', retcode: 'number', margin: 'number' },
  event: { seq: 'number', event: 'string', action: 'string', recorded_at: 'string' },
  tickEvent: { seq: 'number', symbol: 'string', time_msc: 'number', bid: 'number', ask: 'number' },
  eventsPage: { first_seq: 'number', last_seq: 'number', next_since: 'number', resync: 'boolean' },
  difference: { kind: 'string', message: 'string' },
  readiness: { status: 'string', terminal_status: 'string', kill_switch_active: 'boolean' },
  health: { status: 'string', terminal_status: 'string', kill_switch_active: 'boolean' },
  tradeRequest: { status: 'string' },
} as const satisfies Record<string, Shape>;

/** A body as a record of a shape. @throws GatewayReadError when it is none: a missing number is not a zero */
export function recordOf<T>(value: unknown, shape: Shape, what: string): T {
  if (typeof value !== 'object' || value === null) throw malformed(`${what} is no object`);
  const members = value as Record<string, unknown>;
  for (const [name, kind] of Object.entries(shape)) {
    if (typeof members[name] !== kind) throw malformed(`${what} has no ${name}`);
  }
  return value as T;
}

/** The rows under `member` of a body. @throws GatewayReadError when there is no such list: never an empty one */
export function rowsOf<T>(body: unknown, member: string, shape: Shape, what: string): T[] {
  const rows = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[member] : undefined;
  if (!Array.isArray(rows)) throw malformed(`the answer has no list of ${what}s`);
  const { total } = body as Record<string, unknown>;
  if (member === 'data' && typeof total === 'number' && total !== rows.length) {
    throw malformed(`the answer counts ${total} ${what}s and lists ${rows.length}`);
  }
  return rows.map((row) => recordOf<T>(row, shape, what));
}

function malformed(problem: string): GatewayReadError {
  return new GatewayReadError('malformed', `not an answer of the gateway: ${problem}`);
}
