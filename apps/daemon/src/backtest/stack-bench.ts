import type { Fill, Quote, Reject } from '@libs/strategy';
import type { StrategySpec } from '../daemon-file/daemon-file';
import type { Intent } from '../strategies/worker/messages';
import { leftOver, levels, newStack, reached, stackIdOf, withFill, type StackRecord } from '../trading/stack';
import type { StrategyBook } from '../trading/strategy-book';

type Entry = Extract<Intent, { action: 'enter' }>;

/** A strategy's stacks in a backtest: the same rules as live, without a disk to remember them on. */
export class StackBench {
  private readonly stacks = new Map<string, StackRecord>();

  constructor(
    private readonly spec: StrategySpec,
    private readonly book: StrategyBook,
    private readonly around: {
      enter(intent: Entry): Promise<void>;
      /** Why an entry may not be just now; null when it may. */
      denied(volume: number): string | null;
    },
  ) {}

  get isWaiting(): boolean {
    return [...this.stacks.values()].some(({ waiting }) => waiting.length > 0);
  }

  async open(intent: Extract<Intent, { action: 'stack' }>, quote: Quote | undefined, nowMs: number): Promise<void> {
    const stream = this.spec.streams.find(({ alias }) => alias === intent.stream);
    if (!stream) throw new Error(`no stream ${intent.stream}`);
    const stack = newStack(intent.id, this.spec.name, stream, intent.options, nowMs);
    this.stacks.set(stack.id, stack);
    await this.enterLayer(stack, intent.id, quote);
  }

  onFill(fill: Fill): void {
    const stack = this.stacks.get(stackIdOf(fill) ?? '');
    if (stack) this.stacks.set(stack.id, withFill(stack, fill));
  }

  onReject({ intentId }: Reject): void {
    if (this.stacks.get(intentId)?.anchor === null) this.stacks.delete(intentId);
  }

  async onQuote(alias: string, quote: Quote, nowMs: number): Promise<void> {
    for (const { id, stream } of [...this.stacks.values()]) {
      const stack = this.stacks.get(id);
      if (!stack || stream !== alias || this.leftOver(stack, nowMs)) continue;
      for (const layer of reached(stack, quote)) {
        // Not the layer's fault: it goes on waiting, as it does live.
        if (this.around.denied(stack.volume) !== null) continue;
        const current = this.stacks.get(id) ?? stack;
        this.stacks.set(id, { ...current, waiting: current.waiting.filter((other) => other !== layer) });
        await this.enterLayer(current, `${id}/${layer}`, quote);
      }
    }
  }

  async sweep(nowMs: number): Promise<void> {
    for (const stack of [...this.stacks.values()]) if (this.leftOver(stack, nowMs)) this.stacks.delete(stack.id);
  }

  /** Ends all stacks: a halted strategy enters nothing more. */
  endAll(): void {
    this.stacks.clear();
  }

  private leftOver(stack: StackRecord, nowMs: number): boolean {
    return leftOver(stack, (ticket) => this.book.owns(stack.broker, ticket), nowMs) !== null;
  }

  private enterLayer(stack: StackRecord, id: string, quote: Quote | undefined): Promise<void> {
    const price = stack.side === 'buy' ? quote?.ask : quote?.bid;
    const options = { volume: stack.volume, ...(price === undefined ? {} : levels(stack, price)) };
    return this.around.enter({ id, action: 'enter', side: stack.side, stream: stack.stream, options });
  }
}
