import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DealEntry, DealType, TradeReason } from '@libs/trade-constants';
import type { Row } from './contract-answer';
import { ContractGateway } from './contract-gateway';
import { printedBy } from './printed';

const minuteMs = 60_000;
/** A Tuesday. */
export const beginMs = Date.UTC(2024, 0, 2);
export const at = (minutes: number, ms = 0) => new Date(beginMs + minutes * minuteMs + ms).toISOString();
const [from, to] = ['2024-01-02T02:00', '2024-01-02T03:00'];
/** Pip by pip, up and down: every bar opens where the one before closed. */
export const bid = (minute: number) => Number((1.1 + (minute % 2) * 0.0001).toFixed(5));
export const spread = 0.0001;
/** Two hours ahead of UTC. */
export const serverMs = (minute: number) => beginMs + minute * minuteMs + 7_200_000;

/** The bar of a minute, as a gateway has it. */
export function barRow(minute: number, close = bid(minute + 1)): Row {
  const open = bid(minute);
  const prices = { open, close, high: Math.max(open, close), low: Math.min(open, close) };
  const times = { time: at(minute).replace('.000Z', 'Z'), time_server: serverMs(minute) / 1_000, time_basis: 'utc' };
  return { ...times, ...prices, spread: 10, tick_volume: 4 };
}

/** What `daemon compare NAME --json` prints. */
export interface ComparedBody {
  readonly notes: readonly string[];
  readonly live: { readonly trades: number; readonly net: number };
  readonly backtest: { readonly trades: number };
  readonly difference: number;
  readonly causes: readonly { readonly cause: string; readonly trades: number; readonly amount: number }[];
  readonly pairs: readonly { readonly backtest: { readonly net: number } }[];
  readonly onlyBacktest: readonly { readonly detail: string | null }[];
  readonly onlyLive: readonly { readonly detail: string | null }[];
  readonly strategies: readonly object[];
  readonly bars: readonly { readonly name: string; readonly streams: readonly object[]; readonly damaged: number }[];
}

/** A gateway with some days of bars, and `daemon compare` of strategies that trade there, from two to three o'clock. */
export class ComparedGateway {
  private tickets = 900;

  private constructor(
    readonly gateway: ContractGateway,
    readonly folder: string,
  ) {}

  /** @param document the configuration without its gateway, `demo` @param files strategy files by their names */
  static async start(document: object, files: Readonly<Record<string, string>>): Promise<ComparedGateway> {
    const gateway = await ContractGateway.start();
    const folder = mkdtempSync(join(tmpdir(), 'compare-live-'));
    for (let minute = -6 * 1_440; minute < 240; minute++) gateway.bars.push(barRow(minute));
    Object.assign(gateway.tick, { time_utc: at(240), bid: 1.1, ask: 1.1001 });
    Object.assign(gateway.account, { leverage: 100 });
    Object.assign(gateway.symbol, specification);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const gateways = { demo: { url: gateway.url, apiKeyEnv: 'COMPARE_KEY' } };
    writeFileSync(join(folder, 'daemon.yaml'), JSON.stringify({ gateways, ...document }));
    process.env['COMPARE_KEY'] = 'k';
    return new ComparedGateway(gateway, folder);
  }

  async stop(): Promise<void> {
    delete process.env['COMPARE_KEY'];
    await this.gateway.stop();
    rmSync(this.folder, { recursive: true });
  }

  /** Forgets what was traded, and the ticks. */
  clear(): void {
    for (const rows of [this.gateway.ticks, this.gateway.deals, this.gateway.positions]) rows.length = 0;
  }

  /** A live trade; its fills come some milliseconds after the opens of these minutes. @returns the position */
  traded(opened: number, closed: number, prices: readonly [number, number], latencyMs: number, magic = 41): number {
    const position = ++this.tickets;
    const deal = (minute: number, entry: number, type: number, price: number, profit: number): void => {
      const ticket = ++this.tickets;
      this.gateway.deals.push({
        ...{ ticket, order: ticket, time_utc: at(minute, latencyMs), entry, type, price, profit },
        ...{ magic, position_id: position, reason: TradeReason.EXPERT, volume: 0.1, commission: -0.35 },
        ...{ swap: 0, fee: 0, symbol: 'EURUSD', comment: '', client_order_id: null },
      });
    };
    const [entry, exit] = prices;
    deal(opened, DealEntry.IN, DealType.BUY, entry, 0);
    deal(closed, DealEntry.OUT, DealType.SELL, exit, Math.round((exit - entry) * 100_000) / 100);
    return position;
  }

  stateDir(name: string): string {
    return join(this.folder, name);
  }

  /** @returns what the command prints */
  compared(name: string, stateDir: string, ...args: readonly string[]): Promise<string> {
    return printedBy(
      ...['compare', name, '--config', join(this.folder, 'daemon.yaml'), '--state-dir', this.stateDir(stateDir)],
      ...(args.includes('--from') ? args : ['--from', from, '--to', to, ...args]),
    );
  }

  async comparedBody(name: string, stateDir: string, ...args: readonly string[]): Promise<ComparedBody> {
    return JSON.parse(await this.compared(name, stateDir, '--json', ...args)) as ComparedBody;
  }
}

/** What the simulated broker needs of a symbol: a tenth of the usual contract. */
const specification = {
  ...{ currency_base: 'EUR', currency_profit: 'USD', currency_margin: 'EUR', trade_calc_mode: 0, trade_mode: 4 },
  ...{ trade_exemode: 2, filling_mode: 3, expiration_mode: 15, order_mode: 127, order_gtc_mode: 0, swap_mode: 1 },
  ...{
    swap_rollover3days: 3,
    margin_hedged: 10_000,
    trade_contract_size: 10_000,
    trade_tick_value: 0.1,
    spread: 10,
    trade_stops_level: 0,
  },
};
