import type { Fill, Quote, Side, StackOptions, Stream } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import { count, each, flag, number, oneOf, orAbsent, orNull, record, type Shape, text } from './shape';

const dayMs = 86_400_000;

/** A stack of layers over one entry, as stored. */
export interface StackRecord {
  /** The intent that opened it. */
  readonly id: string;
  readonly strategy: string;
  readonly stream: string;
  readonly broker: string;
  readonly symbol: string;
  readonly side: Side;
  /** Lots of each layer. */
  readonly volume: number;
  readonly spacing: number;
  readonly slDistance: number | null;
  readonly tpDistance: number | null;
  /** Fill price of layer 1; null until it is filled. */
  readonly anchor: number | null;
  /** Market time after which the remaining layers are cancelled. */
  readonly expiresMs: number;
  /** Layers that wait for their price. */
  readonly waiting: readonly number[];
  /** Tickets of the layers that were filled. */
  readonly tickets: readonly number[];
  /** No layer is waiting. */
  readonly over: boolean;
  /** Tag of its layers; absent without one. */
  readonly tag?: string;
}

export interface PendingLayer {
  readonly stackId: string;
  readonly layer: number;
  readonly side: Side;
  readonly symbol: string;
  /** Null until layer 1 is filled. */
  readonly triggerPrice: number | null;
  readonly volume: number;
}

/** A stack whose first layer is about to be entered, or why the options are invalid. */
export function newStack(
  id: string,
  strategy: string,
  stream: Stream,
  { direction, layers, spacing, volume, within = dayMs, slDistance, tpDistance, tag }: Omit<StackOptions, 'stream'>,
  marketMs: number,
): StackRecord | string {
  if (!Number.isInteger(layers) || layers < 1 || layers > 100) return 'stack: layers must be an integer, 1 to 100';
  if (!(spacing > 0)) return 'stack: spacing must be above 0';
  return {
    id,
    strategy,
    side: direction,
    volume,
    spacing,
    anchor: null,
    tickets: [],
    over: false,
    stream: stream.alias,
    broker: stream.broker,
    symbol: stream.symbol,
    slDistance: slDistance ?? null,
    tpDistance: tpDistance ?? null,
    expiresMs: marketMs + within,
    waiting: Array.from({ length: layers - 1 }, (_, index) => index + 2),
    ...(tag === undefined ? {} : { tag }),
  };
}

/** The id of the stack that an entry's fill would belong to: the intent of a layer begins with it. */
export function stackIdOf({ entry, intentId }: Fill): string | null {
  return entry === 'in' ? (intentId?.split('/')[0] ?? null) : null;
}

/**
 * The stack after a fill of one of its layers; the first one's price is the anchor. The same object when it is known.
 */
export function withFill(stack: StackRecord, { intentId, position, price }: Fill): StackRecord {
  if (stack.tickets.includes(position)) return stack;
  const anchor = intentId === stack.id ? price : stack.anchor;
  return { ...stack, anchor, tickets: [...stack.tickets, position] };
}

/** Where a layer waits: anchor ± spacing · (layer − 1); null until layer 1 is filled. */
export function triggerPrice({ anchor, spacing, side }: StackRecord, layer: number): number | null {
  if (anchor === null) return null;
  const distance = new Decimal(spacing).times(layer - 1);
  return new Decimal(anchor).plus(side === 'buy' ? distance : distance.negated()).toNumber();
}

/** The waiting layers whose price is reached, the nearest first. */
export function reached(stack: StackRecord, { bid, ask }: Quote): readonly number[] {
  return stack.waiting.filter((layer) => {
    const price = triggerPrice(stack, layer);
    return price !== null && (stack.side === 'buy' ? ask >= price : bid <= price);
  });
}

/** Levels of a layer that enters at about `price`. */
export function levels(stack: StackRecord, price: number): { sl?: number; tp?: number } {
  const sign = stack.side === 'buy' ? 1 : -1;
  const at = (distance: number): number => new Decimal(price).plus(new Decimal(distance).times(sign)).toNumber();
  return {
    ...(stack.slDistance === null ? {} : { sl: at(-stack.slDistance) }),
    ...(stack.tpDistance === null ? {} : { tp: at(stack.tpDistance) }),
  };
}

/** Why the remaining layers are cancelled; null while they may wait. */
export function leftOver(stack: StackRecord, isOpen: (ticket: number) => boolean, marketMs: number): string | null {
  if (stack.over || stack.anchor === null) return null;
  if (stack.tickets.length > 0 && !stack.tickets.some(isOpen)) return 'the position is flat';
  return marketMs > stack.expiresMs ? 'the stack expired' : null;
}

export function pendingLayers(stack: StackRecord): readonly PendingLayer[] {
  const { id, side, symbol, volume } = stack;
  return stack.waiting.map((layer) => ({
    stackId: id,
    layer,
    side,
    symbol,
    volume,
    triggerPrice: triggerPrice(stack, layer),
  }));
}

/** A stack as stored. The compiler compares the members with the declared record. */
export const stackShape: Shape<StackRecord> = record({
  id: text,
  strategy: text,
  stream: text,
  broker: text,
  symbol: text,
  side: oneOf('buy', 'sell'),
  volume: number,
  spacing: number,
  slDistance: orNull(number),
  tpDistance: orNull(number),
  anchor: orNull(number),
  expiresMs: number,
  waiting: each(count),
  tickets: each(count),
  over: flag,
  tag: orAbsent(text),
});
