import type {
  Account,
  Bar,
  EntryOptions,
  OcoOrder,
  OrderChange,
  PendingOrder,
  Position,
  Protection,
  Quote,
  Side,
  Risk,
  StackOptions,
  Stream,
  SymbolSpec,
  Trade,
  Trail,
} from '@libs/strategy';
import { toWholeTicks } from '@libs/terminal-client/fixed-point';
import { Decimal } from 'decimal.js';
import type { BarHistory } from './bar-history';
import {
  checkEntry,
  checkLevels,
  checkOco,
  checkOrderChange,
  checkStack,
  checkTrail,
  checkVolume,
} from './checked-options';
import type { KeptState } from './kept-state';
import type { Intent, IntentAction } from '../../core/strategy-event';
import type { LogEntry } from './messages';
import type { Grid, View } from '../../live/view';
import { Notepad } from './notepad';

const nothing: View = { positions: [], orders: [], equity: 0, inFlight: 0, quotes: {}, symbols: {}, accounts: {} };

/** The {@link Trade} of a strategy: collects its intents and gives it the current view. */
export class TradeDesk implements Trade {
  warmingUp = false;
  timeMs = 0;
  private view: View = nothing;
  private readonly notepad = new Notepad();
  private count = 0;

  constructor(
    private readonly streams: Readonly<Record<string, Stream>>,
    private readonly history: BarHistory,
    private readonly idPrefix: string,
    private readonly kept: KeptState | null,
  ) {}

  get state(): unknown {
    return this.declared.value;
  }

  set state(value: unknown) {
    this.declared.value = value;
  }

  /** Opens the desk for one event. */
  open(view: View, timeMs: number, warmingUp: boolean): void {
    this.view = view;
    this.timeMs = timeMs;
    this.warmingUp = warmingUp;
  }

  /** Whether there are neither intents nor log lines since the last {@link takeOut}. */
  get isUntouched(): boolean {
    return this.notepad.isEmpty;
  }

  /** Returns the intents and log lines since the last call. */
  takeOut(): { readonly intents: readonly Intent[]; readonly logs: readonly LogEntry[] } {
    return this.notepad.takeOut();
  }

  buy(stream: Stream | string, options: EntryOptions): string {
    return this.enter('buy', stream, options);
  }

  sell(stream: Stream | string, options: EntryOptions): string {
    return this.enter('sell', stream, options);
  }

  oco(orders: readonly OcoOrder[]): readonly string[] {
    if (!this.warmingUp) checkOco(orders);
    const oco = `${this.idPrefix}${this.count + 1}`;
    const intents = orders.map(({ stream, side, ...options }): Intent => {
      return { id: this.nextId(), action: 'enter', side, stream: this.aliasOf(stream), options, oco };
    });
    if (!this.warmingUp) this.notepad.want(...intents);
    return intents.map(({ id }) => id);
  }

  close(position: Position | number): string {
    return this.closing(position, null);
  }

  closePart(position: Position | number, volume: number): string {
    if (!this.warmingUp) checkVolume('closePart', volume);
    return this.closing(position, volume);
  }

  protect(position: Position | number, protection: Protection): string {
    if (!this.warmingUp) checkLevels('protect', protection);
    return this.want({ action: 'protect', ...refOf(position), ...protection });
  }

  trail(position: Position | number, trail: Trail | null): string {
    if (!this.warmingUp && trail !== null) checkTrail(trail);
    return this.want({ action: 'trail', ...refOf(position), trail });
  }

  modify(order: PendingOrder | number, change: OrderChange): string {
    if (!this.warmingUp) checkOrderChange(change);
    const { position: ticket, broker } = refOf(order);
    return this.want({ action: 'modify', order: ticket, broker, change });
  }

  cancel(order: PendingOrder | number): string {
    const { position: ticket, broker } = refOf(order);
    return this.want({ action: 'cancel', order: ticket, broker });
  }

  stack({ stream, ...options }: StackOptions): string {
    if (!this.warmingUp) checkStack(options);
    return this.want({ action: 'stack', stream: this.aliasOf(stream), options });
  }

  log(message: string, details?: Readonly<Record<string, unknown>>): void {
    this.notepad.log(message, details ?? null);
  }

  position(stream: Stream | string): Position | null {
    return this.positions(stream)[0] ?? null;
  }

  positions(stream?: Stream | string): readonly Position[] {
    if (stream === undefined) return this.view.positions;
    const alias = this.aliasOf(stream);
    return this.view.positions.filter((position) => position.stream === alias);
  }

  orders(stream?: Stream | string): readonly PendingOrder[] {
    if (stream === undefined) return this.view.orders;
    const alias = this.aliasOf(stream);
    return this.view.orders.filter((order) => order.stream === alias);
  }

  account(stream: Stream | string): Account {
    const broker = this.streams[this.aliasOf(stream)]?.broker ?? '';
    const account = this.view.accounts[broker];
    if (!account) throw new Error(`the account behind ${broker} could not be read`);
    return account;
  }

  get equity(): number {
    return this.view.equity;
  }

  get inFlight(): number {
    return this.view.inFlight;
  }

  quote(stream: Stream | string): Quote | null {
    return this.view.quotes[this.aliasOf(stream)] ?? null;
  }

  symbol(stream: Stream | string): SymbolSpec {
    const alias = this.aliasOf(stream);
    const spec = this.view.symbols[alias];
    if (!spec) throw new Error(`the specification of the symbol of ${alias} is not known yet`);
    const quote = this.quote(alias);
    return { ...spec, spread: quote && Number((quote.ask - quote.bid).toFixed(spec.digits)) };
  }

  volumeFor(stream: Stream | string, risk: Risk): number {
    const symbol = this.symbol(stream);
    const volumeMax = Math.min(symbol.volumeMax, this.view.maxVolume ?? Infinity);
    return volumeFor({ ...symbol, volumeMax }, risk);
  }

  roundVolume(stream: Stream | string, lots: number): number {
    return roundVolume(this.gridOf(stream), lots);
  }

  roundPrice(stream: Stream | string, price: number): number {
    return roundPrice(this.gridOf(stream), price);
  }

  bars(stream: Stream | string, count: number): readonly Bar[] {
    return this.history.last(this.aliasOf(stream), count);
  }

  private get declared(): KeptState {
    if (this.kept) return this.kept;
    throw new Error('the strategy declares no state: add `state: { version: 1, initial: { … } }` to defineStrategy');
  }

  private enter(side: Side, stream: Stream | string, options: EntryOptions): string {
    if (!this.warmingUp) checkEntry(side, options);
    const alias = this.aliasOf(stream);
    return this.take({ id: this.nextId(), action: 'enter', side, stream: alias, options });
  }

  private closing(position: Position | number, volume: number | null): string {
    const { position: ticket, broker } = refOf(position);
    return this.take({ id: this.nextId(), action: 'close', position: ticket, broker, volume });
  }

  private gridOf(stream: Stream | string): Grid {
    return this.view.grids?.[this.aliasOf(stream)] ?? this.symbol(stream);
  }

  private want(action: IntentAction): string {
    return this.take({ id: this.nextId(), ...action });
  }

  /** @returns its id */
  private take(intent: Intent): string {
    if (!this.warmingUp) this.notepad.want(intent);
    return intent.id;
  }

  private nextId(): string {
    return `${this.idPrefix}${++this.count}`;
  }

  private aliasOf(stream: Stream | string): string {
    const alias = typeof stream === 'string' ? stream : stream.alias;
    if (Object.hasOwn(this.streams, alias)) return alias;
    throw new Error(`no stream ${alias}; the configuration has ${Object.keys(this.streams).join(', ')}`);
  }
}

function refOf(thing: { readonly ticket: number; readonly broker: string } | number | null): {
  readonly position: number;
  readonly broker: string | null;
} {
  if (typeof thing === 'number') return { position: thing, broker: null };
  if (!thing) throw new Error(`expected a position or an order, got ${String(thing)}`);
  return { position: thing.ticket, broker: thing.broker };
}

type VolumeGrid = Pick<SymbolSpec, 'volumeMin' | 'volumeMax' | 'volumeStep'>;

/**
 * The largest volume on the grid that loses at most the risk at the stop-loss; 0 if there is none.
 * @throws Error for a risk or distance that is not a number above 0, or while the value of a tick is not known
 */
export function volumeFor(spec: SymbolSpec, { risk, stopDistance }: Risk): number {
  const given = { risk, stopDistance };
  for (const [name, value] of Object.entries(given)) {
    if (!Number.isFinite(value) || value <= 0)
      throw new Error(`volumeFor: ${name} must be a number above 0, not ${value}`);
  }
  const { symbol, tickSize, tickValue } = spec;
  if (tickValue === null || !(tickSize > 0))
    throw new Error(`volumeFor: the value of a tick of ${symbol} is not known`);
  const lossOfOneLot = new Decimal(stopDistance).div(tickSize).mul(tickValue);
  return roundVolume(spec, new Decimal(risk).div(lossOfOneLot));
}

/** A volume rounded down to the grid, within its bounds; 0 below the least. */
export function roundVolume({ volumeMin, volumeMax, volumeStep }: VolumeGrid, lots: Decimal.Value): number {
  const wanted = Decimal.min(lots, volumeMax);
  const step = volumeStep > 0 ? volumeStep : volumeMin;
  const rounded = step > 0 ? wanted.div(step).floor().mul(step) : wanted;
  return rounded.lt(volumeMin) ? 0 : rounded.toNumber();
}

/** A price rounded to the grid, half up. */
export function roundPrice(
  { tickSize, point, digits }: Pick<Grid, 'tickSize' | 'point' | 'digits'>,
  price: number,
): number {
  const grid = tickSize > 0 ? tickSize : point;
  if (!(grid > 0)) return price;
  const rounded = toWholeTicks(price, grid, digits);
  if (!Number.isNaN(rounded)) return rounded;
  const steps = new Decimal(price).div(grid).toDecimalPlaces(0, Decimal.ROUND_HALF_UP);
  return steps.mul(grid).toDecimalPlaces(digits, Decimal.ROUND_HALF_UP).toNumber();
}
