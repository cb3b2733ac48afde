import {
  boundsVolume,
  dayReadUntilS,
  dayStartS,
  lossOfDay,
  openVolumes,
  resultsOfDay,
  type EntryLimits,
  type Exposure,
} from '@libs/order-drafts';
import type { TradePosition } from '@libs/terminal-client';
import type { BacktestMarket } from './backtest-market';

const minuteMs = 60_000;

/** The exposure that the limits on entries apply to in a backtest: the broker's lists at the current market time. */
export class BacktestExposure {
  /** Market time of the entries of the last minute, by the intent. */
  private readonly sentMs = new Map<string, number>();

  constructor(private readonly market: BacktestMarket) {}

  /** Counts an entry against the rate, once however often it is sent. */
  noteSent(id: string): void {
    this.forgetOlder();
    this.sentMs.set(id, this.market.nowMs);
  }

  /** The figures that the limits need. */
  read(limits: EntryLimits): Exposure {
    const { terminal } = this.market;
    const positions = terminal.positionsGet();
    const orders = boundsVolume(limits) ? terminal.ordersGet() : [];
    const volumes = [...openVolumes(positions, orders)].map(([symbol, volume]) => [symbol, volume.toNumber()] as const);
    const dailyLoss = limits.maxDailyLoss === null ? null : this.dailyLoss(positions);
    return { ...this.rate(), openVolume: new Map(volumes), dailyLoss };
  }

  private rate(): Pick<Exposure, 'ordersLastMinute' | 'nextOrderInMs'> {
    this.forgetOlder();
    const { nowMs } = this.market;
    const [oldestMs = nowMs - minuteMs] = this.sentMs.values();
    return { ordersLastMinute: this.sentMs.size, nextOrderInMs: oldestMs + minuteMs - nowMs };
  }

  private forgetOlder(): void {
    const { nowMs } = this.market;
    for (const [id, atMs] of this.sentMs) if (nowMs - atMs >= minuteMs) this.sentMs.delete(id);
  }

  private dailyLoss(positions: readonly TradePosition[]): number | null {
    const startS = dayStartS(Math.floor(this.market.serverMs(this.market.nowMs) / 1_000));
    const deals = this.market.terminal.historyDealsGet({ from: startS, to: dayReadUntilS(startS) });
    return lossOfDay(resultsOfDay(deals, startS), positions);
  }
}
