import type { Fill, Quote, Reject, Stream } from '@libs/strategy';
import type { StrategyLog } from '../logs/strategy-log';
import type { Change } from '../state/state-store';
import type { Intent } from '../strategies/worker/messages';
import type { Origin } from './desk-surroundings';
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

type Entry = Extract<Intent, { action: 'enter' }>;

export interface StackSurroundings {
  readonly strategy: string;
  readonly log: StrategyLog;
  commit(change: Change): Promise<boolean>;
  /** Enters a layer; what goes with it becomes durable with its intent. */
  enter(intent: Entry, origin: Origin, along: Change): Promise<void>;
  /** Why an entry may not be just now; null when it may. */
  denied(stream: Stream, volume: number): string | null;
  quote(alias: string): Quote | undefined;
  isOpen(broker: string, ticket: number): boolean;
  /** Why there can be no stack on a stream; null when there can. */
  unfit(stream: Stream): string | null;
  marketMs(): number;
  /** Runs when the strategy's earlier events and orders are done with. */
  inTurn(work: () => Promise<void>): void;
  nanosNow(): number;
}

/** The stacks of one strategy: enters each layer once when its price is reached, and takes back what is left over. */
export class StackDesk {
  private readonly stacks = new Map<string, StackRecord>();
  /** Layers that wait for their turn among the strategy's events. */
  private readonly queued = new Set<string>();
  /** Layers on their way into the market, by the intent that enters them. */
  private readonly entering = new Set<string>();

  constructor(
    private streams: readonly Stream[],
    remembered: readonly StackRecord[],
    private readonly around: StackSurroundings,
  ) {
    for (const stack of remembered) this.stacks.set(stack.id, stack);
  }

  get pending(): readonly PendingLayer[] {
    return [...this.stacks.values()].flatMap(pendingLayers);
  }

  /** Stacks that wait go on with the streams of the same names, as long as these lead to the same market. */
  respec(streams: readonly Stream[]): void {
    this.streams = streams;
  }

  /** Enters the first layer. @throws Error for options that make no stack */
  async open(intent: Extract<Intent, { action: 'stack' }>, origin: Origin): Promise<void> {
    const stream = this.streams.find(({ alias }) => alias === intent.stream);
    if (!stream) throw new Error(`no stream ${intent.stream}`);
    const unfit = this.around.unfit(stream);
    if (unfit !== null) throw new Error(unfit);
    const stack = newStack(intent.id, this.around.strategy, stream, intent.options, this.around.marketMs());
    this.stacks.set(stack.id, stack);
    const quote = this.around.quote(stream.alias);
    const price = quote && (stack.side === 'buy' ? quote.ask : quote.bid);
    await this.enter(stack, intent.id, price ?? null, origin, stack);
  }

  /**
   * Takes over what fills mean to the stacks: the first layer's sets the anchor.
   * @returns what is to become durable together with the booking of their deals, which are never told of again
   */
  filled(fills: readonly Fill[]): Change {
    const changed = new Map<string, StackRecord>();
    for (const fill of fills) {
      const stack = this.stacks.get(stackIdOf(fill) ?? '');
      const next = stack && withFill(stack, fill);
      if (!next || next === stack) continue;
      this.stacks.set(next.id, next);
      changed.set(next.id, next);
    }
    return changed.size === 0 ? {} : { stacks: [...changed.values()] };
  }

  /** Without its first layer there is no stack. */
  async onReject({ intentId, reason }: Reject): Promise<void> {
    this.entering.delete(intentId);
    const stack = this.stacks.get(intentId);
    if (stack && stack.anchor === null) await this.end(stack, `its first layer came to nothing: ${reason}`);
  }

  onQuote(stream: string, quote: Quote): void {
    for (const stack of this.stacks.values()) {
      if (this.streamOf(stack)?.alias !== stream) continue;
      for (const layer of reached(stack, quote)) {
        const id = `${stack.id}/${layer}`;
        if (this.queued.has(id) || this.entering.has(id)) continue;
        this.queued.add(id);
        this.around.inTurn(() => this.enterLayer(stack.id, layer, id));
      }
    }
  }

  /** What waited for its turn was dropped: those layers wait for their price again. */
  turnsDropped(): void {
    this.queued.clear();
  }

  /** Takes back what is left over: when the position is flat, the time has passed, or the stream leads elsewhere. */
  async sweep(): Promise<void> {
    for (const stack of this.stacks.values()) {
      const reason = this.reasonToEnd(stack);
      const isEntering = [...this.entering].some((id) => id.startsWith(`${stack.id}/`));
      if (reason !== null && !isEntering) await this.end(stack, reason);
    }
  }

  /** Ends all stacks: a halted strategy enters nothing more. */
  async endAll(reason: string): Promise<void> {
    for (const stack of [...this.stacks.values()]) await this.end(stack, reason);
  }

  /** Drops stacks whose first layer never got as far as the journal. */
  async dropUnborn(isKnown: (intentId: string) => boolean): Promise<void> {
    for (const stack of [...this.stacks.values()]) {
      if (stack.anchor === null && !isKnown(stack.id)) await this.end(stack, 'its first layer was never sent');
    }
  }

  private async enterLayer(stackId: string, layer: number, id: string): Promise<void> {
    this.queued.delete(id);
    this.entering.add(id);
    const stack = this.stacks.get(stackId);
    const stream = stack && this.streamOf(stack);
    const quote = stream && this.around.quote(stream.alias);
    try {
      if (!stack || !stream || !quote || !reached(stack, quote).includes(layer)) return;
      if (this.reasonToEnd(stack) !== null) return;
      // Not the layer's fault: it goes on waiting, and is tried again with the next quote.
      if (this.around.denied(stream, stack.volume) !== null) return;
      const decidedNanos = this.around.nanosNow();
      const price = stack.side === 'buy' ? quote.ask : quote.bid;
      const rest = { ...stack, waiting: stack.waiting.filter((other) => other !== layer) };
      await this.enter(stack, id, price, { receivedNanos: decidedNanos, decidedNanos }, rest);
    } finally {
      this.entering.delete(id);
    }
  }

  private async enter(
    stack: StackRecord,
    id: string,
    price: number | null,
    origin: Origin,
    after: StackRecord,
  ): Promise<void> {
    const options = { volume: stack.volume, ...(price === null ? {} : levels(stack, price)) };
    this.stacks.set(after.id, after);
    const intent: Entry = { id, action: 'enter', side: stack.side, stream: stack.stream, options };
    await this.around.enter(intent, origin, { stacks: [after] });
  }

  private async end(stack: StackRecord, reason: string): Promise<void> {
    if (stack.waiting.length > 0)
      this.around.log.info('layers cancelled', { stack: stack.id, layers: stack.waiting, reason });
    this.stacks.delete(stack.id);
    await this.around.commit({ stacks: [{ ...stack, waiting: [], over: true }] });
  }

  /** The stream of its name, unless that leads to another market by now: its prices mean nothing to the stack. */
  private streamOf({ stream, broker, symbol }: StackRecord): Stream | undefined {
    return this.streams.find((one) => one.alias === stream && one.broker === broker && one.symbol === symbol);
  }

  private reasonToEnd(stack: StackRecord): string | null {
    if (!this.streamOf(stack)) return `stream ${stack.stream} is no longer ${stack.symbol} on ${stack.broker}`;
    return leftOver(stack, (ticket) => this.around.isOpen(stack.broker, ticket), this.around.marketMs());
  }
}
