import { priceText, volumeText, type OrderRequest, type SymbolRecord } from '@libs/gateway-client';
import { positive, problem, textOf, type FormFields, type Parsed } from './trade-fields';

export const orderKinds = ['market', 'limit', 'stop'] as const;
export type OrderKind = (typeof orderKinds)[number];
export const sizeUnits = ['lots', 'percent', 'money'] as const;
export type SizeUnit = (typeof sizeUnits)[number];
export type OrderSide = 'BUY' | 'SELL';

/** What is known of the symbol and its market. */
export interface TicketMarket {
  readonly symbol: Pick<SymbolRecord, 'name' | 'digits' | 'volume_min' | 'volume_max' | 'volume_step'>;
  readonly bid: number;
  readonly ask: number;
}

/** An order as it was entered: its size may still have to be found from the risk. */
export interface Ticket {
  readonly side: OrderSide;
  readonly kind: OrderKind;
  /** Where it is expected to be filled: at the market for a market order. */
  readonly price: number;
  readonly sl: number | undefined;
  readonly tp: number | undefined;
  /** Lots, percent of the equity or money in the deposit currency at the stop-loss. */
  readonly size: { readonly unit: SizeUnit; readonly amount: number };
}

/** Checks what was entered against the symbol and its market. */
export function ticketOf(side: OrderSide, fields: FormFields, market: TicketMarket): Parsed<Ticket> {
  const kind = orderKinds.find((one) => one === textOf(fields, 'kind')) ?? 'market';
  const price = kind === 'market' ? atMarket(side, market) : levelOf(fields, 'price', market);
  const [sl, tp] = [levelOf(fields, 'sl', market), levelOf(fields, 'tp', market)];
  const size = sizeOf(fields);
  const parsed = [price, sl, tp, size].find(({ ok }) => !ok);
  if (!price.ok || !sl.ok || !tp.ok || !size.ok) return parsed?.ok === false ? parsed : problem('not complete');
  if (price.value === undefined) return problem(`price: a ${kind} order needs one`);
  const ticket = { side, kind, price: price.value, sl: sl.value, tp: tp.value, size: size.value };
  const objection = sideOfLevels(ticket, market);
  return objection === null ? { ok: true, value: ticket } : problem(objection);
}

function atMarket(side: OrderSide, { bid, ask, symbol }: TicketMarket): Parsed<number> {
  const price = side === 'BUY' ? ask : bid;
  return price > 0
    ? { ok: true, value: price }
    : problem(`${symbol.name} has no ${side === 'BUY' ? 'ask' : 'bid'} now`);
}

/** A price that was entered; undefined for an empty field. */
function levelOf(
  fields: FormFields,
  name: 'price' | 'sl' | 'tp',
  { symbol }: TicketMarket,
): Parsed<number | undefined> {
  const text = textOf(fields, name);
  if (text === '') return { ok: true, value: undefined };
  const level = positive(text);
  if (level === null) return problem(`${name} must be a price above 0, such as 1.1725`);
  if (decimalsOf(text) <= symbol.digits) return { ok: true, value: level };
  return problem(`${name} has more decimals than the prices of ${symbol.name}, which have ${symbol.digits}`);
}

function sizeOf(fields: FormFields): Parsed<Ticket['size']> {
  const unit = sizeUnits.find((one) => one === textOf(fields, 'unit')) ?? 'lots';
  const amount = positive(textOf(fields, 'size'));
  const what = { lots: 'a number of lots', percent: 'percent of the equity', money: 'an amount' }[unit];
  if (amount === null) return problem(`size must be ${what} above 0`);
  if (unit === 'percent' && amount > 100) return problem('size must be at most 100 percent of the equity');
  if (unit !== 'lots' && textOf(fields, 'sl') === '')
    return problem('sl: the risk is measured at the stop-loss, so it needs one');
  return { ok: true, value: { unit, amount } };
}

/** Why a level is on the wrong side; null if none is. */
function sideOfLevels({ side, kind, price, sl, tp }: Ticket, { bid, ask, symbol }: TicketMarket): string | null {
  const up = side === 'BUY' ? 1 : -1;
  const text = (value: number): string => priceText(value, symbol.digits);
  const [below, above] = side === 'BUY' ? ['below', 'above'] : ['above', 'below'];
  const market = side === 'BUY' ? ask : bid;
  if (kind === 'limit' && (market - price) * up <= 0) {
    return `price: a ${side} LIMIT is ${below} the market, which is at ${text(market)}`;
  }
  if (kind === 'stop' && (price - market) * up <= 0) {
    return `price: a ${side} STOP is ${above} the market, which is at ${text(market)}`;
  }
  if (sl !== undefined && (price - sl) * up <= 0) return `sl must be ${below} ${text(price)} for a ${side}`;
  if (tp !== undefined && (tp - price) * up <= 0) return `tp must be ${above} ${text(price)} for a ${side}`;
  return null;
}

type VolumeRules = Pick<SymbolRecord, 'volume_min' | 'volume_max' | 'volume_step'>;

/** Lots that were entered, if the symbol takes them. */
export function lotsOf(amount: number, rules: VolumeRules): Parsed<number> {
  const steps = amount / rules.volume_step;
  if (Math.abs(steps - Math.round(steps)) > 1e-6) {
    return problem(`size must be a multiple of ${volumeText(rules.volume_step)} lots`);
  }
  return withinLimits(amount, rules);
}

/**
 * The most lots whose loss at the stop-loss is at most the risk.
 * @param risk and @param lossOfOneLot in the deposit currency, both above 0
 */
export function lotsForRisk(risk: number, lossOfOneLot: number, rules: VolumeRules): Parsed<number> {
  if (!(lossOfOneLot > 0))
    return problem('sl: at this level nothing would be lost, so that no size follows from the risk');
  const { volume_step: step, volume_min: least } = rules;
  const steps = Math.floor(risk / lossOfOneLot / step + 1e-9);
  const lots = onStep(steps, step);
  if (lots < least) {
    return problem(`size: the smallest volume, ${volumeText(least)} lots, would lose more than that at the stop-loss`);
  }
  return withinLimits(lots, rules);
}

/** One step less; null if that is less than the symbol takes. */
export function oneStepLess(lots: number, { volume_step: step, volume_min: least }: VolumeRules): number | null {
  const less = onStep(Math.round(lots / step) - 1, step);
  return less < least ? null : less;
}

function withinLimits(lots: number, { volume_min: least, volume_max: most }: VolumeRules): Parsed<number> {
  if (lots >= least && lots <= most) return { ok: true, value: lots };
  return problem(`size: ${volumeText(lots)} lots; the symbol takes ${volumeText(least)} to ${volumeText(most)}`);
}

function onStep(steps: number, step: number): number {
  return Number((steps * step).toFixed(decimalsOf(volumeText(step))));
}

/** The request of a ticket with its lots. */
export function requestOf({ side, kind, price, sl, tp }: Ticket, symbol: string, volume: number): OrderRequest {
  const type = kind === 'market' ? side : kind === 'limit' ? (`${side}_LIMIT` as const) : (`${side}_STOP` as const);
  return {
    symbol,
    volume,
    type,
    ...(kind === 'market' ? {} : { price }),
    ...(sl === undefined ? {} : { sl }),
    ...(tp === undefined ? {} : { tp }),
  };
}

function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}
