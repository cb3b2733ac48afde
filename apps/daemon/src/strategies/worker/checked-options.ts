import type { EntryOptions, OcoOrder, OrderChange, Protection, StackOptions, Trail } from '@libs/strategy';

/*
 * Options are checked in the call of the strategy, so that the error names its line. A NaN level must not be sent: in JSON it becomes null, and the position would have no stop.
 */

type EntryKind = NonNullable<EntryOptions['kind']>;
type KindOption = 'price' | 'stoplimit' | 'deviation' | 'expirationMs';

/** The options that each kind of order needs, and those that it may have. */
const optionsOfKind: Readonly<Record<EntryKind, { needed: readonly KindOption[]; allowed: readonly KindOption[] }>> = {
  market: { needed: [], allowed: ['deviation'] },
  limit: { needed: ['price'], allowed: ['expirationMs'] },
  stop: { needed: ['price'], allowed: ['expirationMs'] },
  stop_limit: { needed: ['price', 'stoplimit'], allowed: ['expirationMs'] },
};
const kindOptions: readonly KindOption[] = ['price', 'stoplimit', 'deviation', 'expirationMs'];

/** @throws Error naming the invalid option */
export function checkEntry(action: string, options: EntryOptions): void {
  checkVolume(action, options.volume);
  checkTag(action, options.tag);
  const { kind = 'market', price, stoplimit, expirationMs } = options;
  if (!Object.hasOwn(optionsOfKind, kind)) {
    throw new Error(`${action}: kind must be market, limit, stop or stop_limit, not ${String(kind)}`);
  }
  const { needed, allowed } = optionsOfKind[kind];
  for (const option of kindOptions) {
    const value: unknown = options[option];
    if (needed.includes(option)) {
      if (value === undefined || value === null) throw new Error(`${action}: a ${kind} order needs a ${option}`);
    } else if (value !== undefined && !allowed.includes(option)) {
      throw new Error(`${action}: a ${kind} order has no ${option}`);
    }
  }
  checkAbove0(action, {
    price,
    stoplimit,
    deviation: options.deviation === 0 ? undefined : options.deviation,
    expirationMs,
  });
  checkLevels(action, options);
}

/** @throws Error naming the invalid order of a group */
export function checkOco(orders: readonly OcoOrder[]): void {
  const given: unknown = orders;
  if (!Array.isArray(given) || given.length < 2) throw new Error('oco: orders must be a list of two or more');
  for (const [index, order] of orders.entries()) {
    const { side, kind } = order as { readonly side: unknown; readonly kind?: unknown };
    if (side !== 'buy' && side !== 'sell')
      throw new Error(`oco: orders[${index}].side must be buy or sell, not ${String(side)}`);
    if (kind === undefined || kind === 'market') {
      throw new Error(`oco: orders[${index}].kind must be limit, stop or stop_limit: a market order fills at once`);
    }
    checkEntry(`oco: orders[${index}]`, order);
  }
}

/**
 * A level of 0 passes: for an order it means none, and for a position the gateway rejects it. Null removes a level.
 * @throws Error naming a level that is not a price
 */
export function checkLevels(action: string, { sl, tp }: Protection): void {
  checkAbove0(action, { sl: sl === 0 ? undefined : sl, tp: tp === 0 ? undefined : tp });
}

/** @throws Error naming the invalid change, or that there is none */
export function checkOrderChange(change: OrderChange): void {
  const { price, stoplimit, sl, tp, expirationMs } = change;
  if ([price, stoplimit, sl, tp, expirationMs].every((value) => value === undefined)) {
    throw new Error('modify: give at least one of price, stoplimit, sl, tp and expirationMs');
  }
  for (const [name, value] of Object.entries({ price, stoplimit })) {
    if (value === null) throw new Error(`modify: ${name} cannot be removed`);
  }
  // Unlike those of a new order, a level of 0 is not "none": the gateway rejects it, null removes a level.
  checkAbove0('modify', { price, stoplimit, sl, tp, expirationMs });
}

/** @throws Error naming the invalid option */
export function checkStack({
  direction,
  layers,
  volume,
  spacing,
  within,
  slDistance,
  tpDistance,
  tag,
}: Omit<StackOptions, 'stream'>): void {
  checkVolume('stack', volume);
  checkTag('stack', tag);
  if (!['buy', 'sell'].includes(direction))
    throw new Error(`stack: direction must be buy or sell, not ${String(direction)}`);
  if (!Number.isInteger(layers) || layers < 1 || layers > 100) {
    throw new Error(`stack: layers must be an integer, 1 to 100, not ${String(layers)}`);
  }
  if (!(spacing > 0 && Number.isFinite(spacing)))
    throw new Error(`stack: spacing must be above 0, not ${String(spacing)}`);
  checkAbove0('stack', { within, slDistance, tpDistance });
}

/** @throws Error naming the invalid option */
export function checkTrail(trail: Trail): void {
  const given: unknown = trail;
  if (typeof given !== 'object' || given === null) {
    throw new Error(`trail: give { distance }, or null to end it, not ${String(given)}`);
  }
  const { distance, step, activateAt } = trail;
  if (distance === undefined || distance === null) throw new Error('trail: a trailing stop needs a distance');
  checkAbove0('trail', { distance, step, activateAt });
}

/** @throws Error for a volume that is not a number above 0 */
export function checkVolume(action: string, volume: unknown): void {
  if (typeof volume === 'number' && volume > 0 && Number.isFinite(volume)) return;
  throw new Error(`${action}: volume must be a number above 0, not ${String(volume)}`);
}

function checkTag(action: string, tag: unknown): void {
  if (tag === undefined || (typeof tag === 'string' && /^[A-Za-z0-9 _.:/-]{1,32}$/.test(tag))) return;
  throw new Error(`${action}: tag must be 1 to 32 letters, digits, spaces and _.:/-, not ${JSON.stringify(tag)}`);
}

function checkAbove0(action: string, options: Readonly<Record<string, number | null | undefined>>): void {
  // Each entry comes here, and pairs of names and values take longer than all the checks.
  for (const name of Object.keys(options)) {
    const value = options[name];
    if (value === undefined || value === null) continue;
    if (typeof value === 'number' && value > 0 && Number.isFinite(value)) continue;
    throw new Error(`${action}: ${name} must be a number above 0, not ${String(value)}`);
  }
}
