import { lotsText, moneyText, PositionType, subtractVolume, volumeText } from '@libs/terminal-client';
import type { OwnPosition, SignalFacts, SignalGrid } from './signal-facts';
import { entryPrice, levelPrice } from './signal-levels';
import type { Side, Signal, Size } from './signal';
import type { SignalSource } from './signal-source';

/** One request of the API, under a key of its own. */
export interface Step {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body: Readonly<Record<string, string | number>>;
  /** What it does, for people. */
  readonly text: string;
  /** It opens or enlarges a position, so it is not done late. */
  readonly addsRisk: boolean;
}

/** What an alert leads to. No steps: what it asks for is already so. */
export type Decision = {
  /** The requests, each after the one before it is done. */
  readonly steps: readonly Step[];
  /** Why nothing is done. */
  readonly refused: string | null;
  /** What shows that alerts of the source were lost; null if nothing does. */
  readonly gap: string | null;
};

export type SourceRules = Pick<SignalSource, 'magic' | 'size' | 'lotsPerUnit' | 'limits'>;

/** More positions or orders than this are not changed by one alert. */
const mostSteps = 100;

/** Why an alert is refused. It does not leave this file. */
class Refused extends Error {}

/** Decides which requests an alert leads to. Pure: the same signal and facts always have the same decision. */
export function decideSignal(signal: Signal, symbol: string, rules: SourceRules, facts: SignalFacts): Decision {
  const gap = gapOf(signal, facts);
  try {
    const steps = new SignalPlan(signal, symbol, rules, facts).steps();
    if (steps.length > mostSteps)
      throw new Refused(`it would take ${steps.length} requests; at most ${mostSteps} are made`);
    return { steps, refused: null, gap };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { steps: [], refused: error.message, gap };
  }
}

/** The side of the positions together. */
export function sideOf(positions: readonly OwnPosition[]): Side {
  const net = netLots(positions);
  return net > 0 ? 'long' : net < 0 ? 'short' : 'flat';
}

function gapOf({ before, symbol }: Signal, { positions }: SignalFacts): string | null {
  const side = sideOf(positions);
  return before === null || before === side
    ? null
    : `${symbol}: the source was ${before} before the alert, and the account was ${side}`;
}

/** The entry of a signal, as far as its levels are known. */
export interface EntryLevels {
  readonly isBuy: boolean;
  readonly price: number;
  readonly sl: number | null;
  readonly tp: number | null;
}

/** The levels of an entry on one side. */
export function entryLevels(
  signal: Signal,
  isBuy: boolean,
  facts: Pick<SignalFacts, 'quote' | 'info' | 'atr'>,
): EntryLevels {
  const price = entryPrice(signal, isBuy, facts);
  const sl = levelPrice(signal.sl, price, isBuy, facts);
  return { isBuy, price, sl, tp: levelPrice(signal.tp, price, !isBuy, facts) };
}

/** The side that a signal enters on; null if it enters on none. */
export function entersLong({ verb }: Signal, positions: readonly OwnPosition[]): boolean | null {
  if (verb === 'buy' || verb === 'sell') return verb === 'buy';
  return verb === 'reverse' ? netLots(positions) < 0 : null;
}

class SignalPlan {
  constructor(
    private readonly signal: Signal,
    private readonly symbol: string,
    private readonly rules: SourceRules,
    private readonly facts: SignalFacts,
  ) {}

  steps(): Step[] {
    const { signal, facts } = this;
    if (facts.isForeign && signal.verb !== 'cancel') {
      throw new Refused(
        `the position of ${this.symbol} is not of magic ${this.rules.magic}, and this account has one position for each symbol`,
      );
    }
    switch (signal.verb) {
      case 'buy':
      case 'sell':
        return [this.enter(signal.verb === 'buy', this.lots(signal.size ?? this.rules.size), facts.positions)];
      case 'close':
        return this.closeAll(facts.positions);
      case 'close_long':
        return this.closeAll(facts.positions.filter(isLong));
      case 'close_short':
        return this.closeAll(facts.positions.filter((position) => !isLong(position)));
      case 'reverse':
        return this.reverse();
      case 'cancel':
        return facts.orders.map((ticket) => this.cancel(ticket));
      case 'protect':
        return facts.positions.flatMap((position) => this.protect(position));
      case 'target':
        return this.target();
    }
  }

  private reverse(): Step[] {
    const { positions } = this.facts;
    const net = netLots(positions);
    if (net === 0) throw new Refused('there is no position to reverse');
    if (positions.some((position) => isLong(position) !== net > 0)) {
      throw new Refused('there are long and short positions: close one side first');
    }
    const volume = this.signal.size === null ? Math.abs(net) : this.lots(this.signal.size);
    return [...this.closeAll(positions), this.enter(net < 0, volume, [])];
  }

  /** Goes from the positions of the account to the position of the source, whatever was lost in between. */
  private target(): Step[] {
    const { positions, info } = this.facts;
    const wanted = this.wantedLots();
    const isBuy = wanted > 0;
    const wrong = positions.filter((position) => wanted === 0 || isLong(position) !== isBuy);
    const right = positions.filter((position) => !wrong.includes(position));
    const held = lotsOf(right);
    const steps = this.closeAll(wrong);
    const lots = Math.abs(wanted);
    if (lots < held) return [...steps, ...this.reduce(right, subtractVolume(held, lots))];
    const missing = subtractVolume(lots, held);
    // Less than the symbol takes is not a difference that an order could end.
    return missing === 0 || missing < info.volume_min ? steps : [...steps, this.enter(isBuy, missing, right)];
  }

  /** Lots of the source's position on the symbol's grid, towards 0; negative for short. */
  private wantedLots(): number {
    const { position, side } = this.signal;
    const units = side === 'flat' ? 0 : (position ?? 0);
    const lots = downToStep(Math.abs(units) * this.rules.lotsPerUnit, this.facts.info);
    return lots === 0 ? 0 : side === 'short' || units < 0 ? -lots : lots;
  }

  /** Closes that many lots, those that were opened last first. */
  private reduce(positions: readonly OwnPosition[], lots: number): Step[] {
    const steps: Step[] = [];
    let left = lots;
    for (const position of [...positions].sort(latestFirst)) {
      if (left <= 0) break;
      const part = Math.min(left, position.volume);
      steps.push(this.close(position, part === position.volume ? null : part));
      left = subtractVolume(left, part);
    }
    return steps;
  }

  private closeAll(positions: readonly OwnPosition[]): Step[] {
    return [...positions].sort((a, b) => latestFirst(b, a)).map((position) => this.close(position, null));
  }

  private close({ ticket, volume }: OwnPosition, part: number | null): Step {
    const what = part === null ? lotsText(volume) : `${volumeText(part)} of ${lotsText(volume)}`;
    return {
      method: 'POST',
      path: '/close_position',
      text: `close ${what} of position ${ticket}`,
      body: { ticket, ...(part === null ? {} : { volume: part }) },
      addsRisk: false,
    };
  }

  private cancel(ticket: number): Step {
    return { method: 'DELETE', path: `/orders/${ticket}`, body: {}, text: `cancel order ${ticket}`, addsRisk: false };
  }

  private protect(position: OwnPosition): Step[] {
    const { ticket, price_open: open } = position;
    const sl = this.level('sl', open, isLong(position));
    const tp = this.level('tp', open, !isLong(position));
    const isSo = (level: number | null, standing: number): boolean => level === null || level === standing;
    if (isSo(sl, position.sl) && isSo(tp, position.tp)) return [];
    const body = { position: ticket, ...(sl === null ? {} : { sl }), ...(tp === null ? {} : { tp }) };
    const text = `set ${[sl === null ? '' : `sl ${sl}`, tp === null ? '' : `tp ${tp}`].filter(Boolean).join(' and ')} of position ${ticket}`;
    return [{ method: 'POST', path: '/modify_sl_tp', body, text, addsRisk: false }];
  }

  /** @param kept positions that stay open beside the new one */
  private enter(isBuy: boolean, volume: number, kept: readonly OwnPosition[]): Step {
    const { limits, magic } = this.rules;
    const { signal, symbol } = this;
    if (volume > limits.maxLots) {
      throw new Refused(`${volumeText(volume)} lots are more than max_lots, ${volumeText(limits.maxLots)}`);
    }
    const open = lotsOf(kept);
    if (addLots(open, volume) > limits.maxOpenLots) {
      throw new Refused(
        `${volumeText(volume)} lots with the ${volumeText(open)} that are open are more than max_open_lots, ${volumeText(limits.maxOpenLots)}`,
      );
    }
    const price = entryPrice(signal, isBuy, this.facts);
    const sl = this.level('sl', price, isBuy);
    const tp = this.level('tp', price, !isBuy);
    const side = isBuy ? 'BUY' : 'SELL';
    const type = signal.limit !== null ? `${side}_LIMIT` : signal.stop !== null ? `${side}_STOP` : side;
    const pending = signal.limit ?? signal.stop;
    return {
      method: 'POST',
      path: '/order',
      text: `${type} ${volumeText(volume)} ${symbol}`,
      addsRisk: true,
      body: {
        symbol,
        volume,
        type,
        magic,
        ...(pending === null ? {} : { price: pending }),
        ...(sl === null ? {} : { sl }),
        ...(tp === null ? {} : { tp }),
      },
    };
  }

  private level(name: 'sl' | 'tp', from: number, isBelow: boolean): number | null {
    const level = this.signal[name];
    const price = levelPrice(level, from, isBelow, this.facts);
    if (level === null) return null;
    if (price === null) throw new Refused(`${name}: the average true range of ${this.symbol} is not known`);
    if (price <= 0) throw new Refused(`${name}: ${level.amount} ${level.unit} from ${from} is no price above 0`);
    return price;
  }

  private lots(size: Size | null): number {
    if (size === null) throw new Refused('no size: neither the alert nor the source has one');
    if (size.unit === 'lots') return size.amount;
    const { equity, lossOfOneLot: loss, info, moneyDigits } = this.facts;
    const money = (amount: number): string => moneyText(amount, moneyDigits);
    const risk = size.unit === 'money' ? size.amount : (equity * size.amount) / 100;
    const most = (equity * this.rules.limits.maxRiskPercent) / 100;
    if (!(equity > 0)) throw new Refused('the equity is not above 0, so that no size follows from a risk');
    if (risk > most) {
      throw new Refused(
        `a risk of ${money(risk)} is more than max_risk_percent, ${this.rules.limits.maxRiskPercent} percent of the equity or ${money(most)}`,
      );
    }
    if (loss === null || !(loss > 0)) {
      throw new Refused(
        'what one lot loses at the stop-loss is not known or not above 0, so that no size follows from the risk',
      );
    }
    const lots = Math.min(downToStep(risk / loss, info), downToStep(info.volume_max, info));
    if (lots >= info.volume_min && lots > 0) return lots;
    throw new Refused(
      `the smallest volume, ${volumeText(info.volume_min)} lots, would lose more than ${money(risk)} at the stop-loss`,
    );
  }
}

function isLong({ type }: OwnPosition): boolean {
  return type === PositionType.BUY;
}

function latestFirst(a: OwnPosition, b: OwnPosition): number {
  return b.time_msc - a.time_msc || b.ticket - a.ticket;
}

function lotsOf(positions: readonly OwnPosition[]): number {
  return positions.reduce((sum, { volume }) => addLots(sum, volume), 0);
}

function addLots(volume: number, other: number): number {
  return subtractVolume(volume, -other);
}

function netLots(positions: readonly OwnPosition[]): number {
  return subtractVolume(lotsOf(positions.filter(isLong)), lotsOf(positions.filter((position) => !isLong(position))));
}

/** The largest volume of whole steps that is not larger, apart from the noise of binary fractions. */
function downToStep(lots: number, { volume_step: step }: Pick<SignalGrid, 'volume_step'>): number {
  if (!(step > 0)) return lots;
  return Number((Math.floor(lots / step + 1e-9) * step).toFixed(8));
}
