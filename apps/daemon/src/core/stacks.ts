import type { Fill, Quote, Reject, Stream } from '@libs/strategy';
import type { Intent } from './strategy-event';
import { entryDenied, type Circumstances, type Holdings } from './risk';
import {
  leftOver,
  levels,
  newStack,
  pendingLayers,
  reached,
  stackIdOf,
  withFill,
  type PendingLayer,
  type StackRecord,
} from './stack';

type EnterIntent = Extract<Intent, { action: 'enter' }>;
export type StackIntent = Extract<Intent, { action: 'stack' }>;

/** The stacks of one strategy. Plain data. */
export interface Stacks {
  readonly version: 1;
  /** Those that are not over. */
  readonly open: readonly StackRecord[];
  /** Layers that wait for their turn among the strategy's events, by intent. */
  readonly queued: readonly string[];
  /** Layers whose entry is in flight, by intent. */
  readonly entering: readonly string[];
}

/** A layer above the first one, and the stream of the prices that it waits for. */
export interface Layer {
  readonly stackId: string;
  readonly layer: number;
  readonly stream: string;
}

/** The stream of an entry at one moment. */
export interface Moment {
  readonly quote: Quote | null;
  /** Market time, in milliseconds since the epoch. */
  readonly marketMs: number;
  readonly circumstances: Circumstances;
}

export type StackEvent =
  /** The strategy requested a stack. `unfit`: why its account cannot have one. `moment`: null without such a stream. */
  | {
      readonly type: 'wanted';
      readonly intent: StackIntent;
      readonly unfit: string | null;
      readonly moment: Moment | null;
    }
  | { readonly type: 'quote'; readonly stream: string; readonly quote: Quote }
  /** A queued layer has its turn. `moment`: null if the stream no longer exists. */
  | { readonly type: 'turn'; readonly layer: Layer; readonly moment: Moment | null }
  /** The queue was cleared. */
  | { readonly type: 'turns dropped' }
  /** The request of a layer has ended, or its outcome is recovered in the background. */
  | { readonly type: 'entered'; readonly layer: Layer }
  | { readonly type: 'filled'; readonly fills: readonly Fill[] }
  | { readonly type: 'rejected'; readonly reject: Reject }
  /** The books are up to date. */
  | { readonly type: 'account seen'; readonly marketMs: number }
  | { readonly type: 'halted'; readonly reason: string }
  /** The daemon started again. `intents`: those that were submitted and are not over. */
  | { readonly type: 'restarted'; readonly intents: readonly string[] };

export type StackEffect =
  /** Enter a layer; the stack becomes durable together with the intent. */
  | { readonly type: 'enter'; readonly intent: EnterIntent; readonly stack: StackRecord }
  /** Queue the layer after the strategy's earlier events. */
  | { readonly type: 'queue'; readonly layer: Layer }
  /** Make the stack durable; after fills, together with their booking, because they do not come again. */
  | { readonly type: 'persist'; readonly stack: StackRecord }
  /** The stack is over. `cancelled`: the layers that were still waiting. */
  | {
      readonly type: 'end';
      readonly stack: StackRecord;
      readonly cancelled: readonly number[];
      readonly reason: string;
    }
  | { readonly type: 'deny'; readonly intentId: string; readonly reason: string };

export interface StackStep {
  readonly stacks: Stacks;
  readonly effects: readonly StackEffect[];
}

const none: readonly StackEffect[] = [];

/** The stacks that a start finds. */
export function stacksOf(open: readonly StackRecord[]): Stacks {
  return { version: 1, open, queued: [], entering: [] };
}

/** Whether a layer waits for its price, or for the fill of the first layer. */
export function isWaiting({ open }: Stacks): boolean {
  return open.some(({ waiting }) => waiting.length > 0);
}

/** Layers that wait for their price. */
export function waitingLayers({ open }: Stacks): readonly PendingLayer[] {
  return open.flatMap(pendingLayers);
}

/** Intent of a layer above the first one. The intent of the first layer is that of the stack. */
export function intentOf({ stackId, layer }: Layer): string {
  return `${stackId}/${layer}`;
}

/**
 * The next state of the stacks, and what to do. Each layer is entered at most once; an event that does not concern the
 * stacks changes nothing.
 */
export function next(stacks: Stacks, event: StackEvent, holdings: Holdings): StackStep {
  switch (event.type) {
    case 'wanted':
      return opened(stacks, event, holdings);
    case 'quote':
      return queued(stacks, event, holdings.book.spec.streams);
    case 'turn':
      return entered(stacks, event, holdings);
    case 'turns dropped':
      return { stacks: { ...stacks, queued: [] }, effects: none };
    case 'entered':
      return { stacks: withoutEntering(stacks, intentOf(event.layer)), effects: none };
    case 'filled':
      return filled(stacks, event.fills);
    case 'rejected':
      return rejected(stacks, event.reject);
    case 'account seen':
      return ended(stacks, (stack) => reasonOf(stacks, stack, holdings, event.marketMs));
    case 'halted':
      return ended(stacks, () => event.reason);
    case 'restarted':
      return ended(stacks, ({ id, anchor }) =>
        anchor === null && !event.intents.includes(id) ? 'its first layer was never sent' : null,
      );
  }
}

function opened(
  stacks: Stacks,
  { intent, unfit, moment }: Extract<StackEvent, { type: 'wanted' }>,
  holdings: Holdings,
): StackStep {
  const deny = (reason: string): StackStep => {
    return { stacks, effects: [{ type: 'deny', intentId: intent.id, reason }] };
  };
  const { name, streams } = holdings.book.spec;
  const stream = streams.find(({ alias }) => alias === intent.stream);
  if (!stream || moment === null) return deny(`no stream ${intent.stream}`);
  if (unfit !== null) return deny(unfit);
  const stack = newStack(intent.id, name, stream, intent.options, moment.marketMs);
  if (typeof stack === 'string') return deny(stack);
  const reason = entryDenied(stack.volume, stream.broker, holdings, moment.circumstances);
  if (reason !== null) return deny(reason);
  if (moment.quote === null) return deny(`stream ${stream.alias} has no quote`);
  const effect = { type: 'enter', intent: entry(stack, intent.id, moment.quote), stack } as const;
  return { stacks: { ...stacks, open: [...stacks.open, stack] }, effects: [effect] };
}

function queued(
  stacks: Stacks,
  { stream, quote }: Extract<StackEvent, { type: 'quote' }>,
  streams: readonly Stream[],
): StackStep {
  const layers = stacks.open
    .filter((stack) => stack.stream === stream && leadsTo(streams, stack))
    .flatMap((stack) => reached(stack, quote).map((layer) => ({ stackId: stack.id, layer, stream })))
    .filter((layer) => ![...stacks.queued, ...stacks.entering].includes(intentOf(layer)));
  if (layers.length === 0) return { stacks, effects: none };
  return {
    stacks: { ...stacks, queued: [...stacks.queued, ...layers.map(intentOf)] },
    effects: layers.map((layer) => ({ type: 'queue', layer })),
  };
}

function entered(
  before: Stacks,
  { layer, moment }: Extract<StackEvent, { type: 'turn' }>,
  holdings: Holdings,
): StackStep {
  const id = intentOf(layer);
  const stacks = { ...before, queued: before.queued.filter((other) => other !== id) };
  const stays: StackStep = { stacks, effects: none };
  const stack = stacks.open.find((one) => one.id === layer.stackId);
  if (!stack || !moment?.quote || !reached(stack, moment.quote).includes(layer.layer)) return stays;
  if (reasonToEnd(stack, holdings, moment.marketMs) !== null) return stays;
  // A denied layer keeps waiting: the next quote queues it again.
  if (entryDenied(stack.volume, stack.broker, holdings, moment.circumstances) !== null) return stays;
  const rest = { ...stack, waiting: stack.waiting.filter((other) => other !== layer.layer) };
  return {
    stacks: { ...put(stacks, rest), entering: [...stacks.entering, id] },
    effects: [{ type: 'enter', intent: entry(stack, id, moment.quote), stack: rest }],
  };
}

/** The fill of the first layer sets the anchor. */
function filled(before: Stacks, fills: readonly Fill[]): StackStep {
  let stacks = before;
  const changed = new Map<string, StackRecord>();
  for (const fill of fills) {
    const stack = stacks.open.find(({ id }) => id === stackIdOf(fill));
    const after = stack && withFill(stack, fill);
    if (!after || after === stack) continue;
    stacks = put(stacks, after);
    changed.set(after.id, after);
  }
  return { stacks, effects: [...changed.values()].map((stack) => ({ type: 'persist', stack })) };
}

/** Ends a stack if its first layer was not filled. A layer with a denied entry waits again, because nothing was sent. */
function rejected(before: Stacks, { intentId, kind, reason }: Reject): StackStep {
  const stacks = withoutEntering(before, intentId);
  const denied = kind === 'denied' && before.entering.includes(intentId) ? waitingAgain(stacks, intentId) : null;
  if (denied !== null) return { stacks: put(stacks, denied), effects: [{ type: 'persist', stack: denied }] };
  return ended(stacks, ({ id, anchor }) =>
    id === intentId && anchor === null ? `its first layer was not filled: ${reason}` : null,
  );
}

/** The stack of a layer that waits again; null if the stack is over. */
function waitingAgain({ open }: Stacks, intentId: string): StackRecord | null {
  const [stackId, layer] = intentId.split('/');
  const stack = open.find(({ id }) => id === stackId);
  if (!stack) return null;
  return { ...stack, waiting: [...stack.waiting, Number(layer)].sort((a, b) => a - b) };
}

function ended(stacks: Stacks, reasonFor: (stack: StackRecord) => string | null): StackStep {
  const effects = stacks.open.flatMap((stack): StackEffect[] => {
    const reason = reasonFor(stack);
    if (reason === null) return [];
    return [{ type: 'end', stack: { ...stack, waiting: [], over: true }, cancelled: stack.waiting, reason }];
  });
  if (effects.length === 0) return { stacks, effects };
  return { stacks: { ...stacks, open: stacks.open.filter((stack) => reasonFor(stack) === null) }, effects };
}

/** Why a stack ends now. One whose layer is being entered stays: the layer may open a position. */
function reasonOf(stacks: Stacks, stack: StackRecord, holdings: Holdings, marketMs: number): string | null {
  if (stacks.entering.some((id) => id.startsWith(`${stack.id}/`))) return null;
  return reasonToEnd(stack, holdings, marketMs);
}

function reasonToEnd(stack: StackRecord, { book }: Holdings, marketMs: number): string | null {
  const { stream, symbol, broker } = stack;
  if (!leadsTo(book.spec.streams, stack)) return `stream ${stream} is no longer ${symbol} on ${broker}`;
  return leftOver(stack, (ticket) => book.owns(broker, ticket), marketMs);
}

/** Whether the stream of a stack is still of the same market: other prices mean nothing to it. */
function leadsTo(streams: readonly Stream[], { stream, broker, symbol }: StackRecord): boolean {
  return streams.some((one) => one.alias === stream && one.broker === broker && one.symbol === symbol);
}

function entry(stack: StackRecord, id: string, { bid, ask }: Quote): EnterIntent {
  const tag = stack.tag === undefined ? {} : { tag: stack.tag };
  const options = { volume: stack.volume, ...levels(stack, stack.side === 'buy' ? ask : bid), ...tag };
  return { id, action: 'enter', side: stack.side, stream: stack.stream, options };
}

function put(stacks: Stacks, stack: StackRecord): Stacks {
  return { ...stacks, open: stacks.open.map((one) => (one.id === stack.id ? stack : one)) };
}

function withoutEntering(stacks: Stacks, intentId: string): Stacks {
  return { ...stacks, entering: stacks.entering.filter((other) => other !== intentId) };
}
