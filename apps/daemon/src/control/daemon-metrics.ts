import { Injectable } from '@nestjs/common';
import { MetricsRegistry } from '@libs/metrics';
import { Counter, Gauge } from 'prom-client';
import { Daemon } from '../daemon';
import type { AccountReport } from '../gateways/account-report';
import type { QuoteReport } from '../market-data/market-hub';
import type { StrategyRunner } from '../strategies/strategy-runner';

const states = ['starting', 'running', 'halted', 'failed', 'stopped'] as const;

interface PerStrategy {
  readonly name: string;
  readonly help: string;
  readonly value: (strategy: StrategyRunner) => number;
  /** Told only when the open positions were looked at. */
  readonly needsSight?: boolean;
  /** Told only when the strategy's state could be read. */
  readonly needsState?: boolean;
}

interface PerAccount {
  readonly name: string;
  readonly help: string;
  readonly value: (report: AccountReport) => number | null | undefined;
}

const gauges: readonly PerStrategy[] = [
  { name: 'realized', help: 'Result of all deals, costs included.', value: ({ book }) => book.realized.toNumber() },
  {
    name: 'unrealized',
    help: 'Floating result, swap included.',
    value: ({ book }) => book.unrealized.toNumber(),
    needsSight: true,
  },
  {
    name: 'equity',
    help: 'Capital with all results.',
    value: ({ book }) => book.equity.toNumber(),
    needsSight: true,
  },
  {
    name: 'open_positions',
    help: 'Open positions; absent until they were looked at.',
    value: ({ book }) => book.positionRows.length,
    needsSight: true,
  },
  { name: 'halted', help: '1 while entries are halted.', value: ({ book }) => (book.record.halt === null ? 0 : 1) },
  {
    name: 'pending_stack_layers',
    help: 'Stack layers that wait for their price.',
    value: ({ trading }) => trading.stacks.pending.length,
  },
];

const accountGauges: readonly PerAccount[] = [
  { name: 'balance', help: 'Balance of the account.', value: ({ balance }) => balance },
  { name: 'equity', help: 'Balance, credit and floating result.', value: ({ equity }) => equity },
  {
    name: 'unattributed_balance',
    help: 'What of the balance no strategy realized; absent while it is not certain.',
    value: ({ unattributed }) => unattributed?.balance,
  },
];

const counters: readonly PerStrategy[] = [
  { name: 'trades_total', help: 'Deals booked.', value: ({ book }) => book.record.trades, needsState: true },
  { name: 'dropped_ticks_total', help: 'Ticks left out under load.', value: ({ queue }) => queue.droppedTicks },
  { name: 'missed_bars_total', help: 'Bars the gateway gave no longer.', value: ({ market }) => market.missedBars },
];

const quoteCounters: readonly {
  readonly name: string;
  readonly help: string;
  readonly value: (quotes: QuoteReport) => number;
}[] = [
  { name: 'tick_gaps_total', help: 'Times quotes were left out.', value: ({ tickGaps }) => tickGaps },
  { name: 'lost_ticks_total', help: 'Quotes that were left out, at least.', value: ({ lostTicks }) => lostTicks },
  { name: 'bad_ticks_total', help: 'Quotes that were none.', value: ({ badTicks }) => badTicks },
];

/** The control port's figures as metrics, read from the same memory at each scrape. */
@Injectable()
export class DaemonMetrics {
  constructor(daemon: Daemon, registry: MetricsRegistry) {
    const registers = [registry];
    new Gauge({
      name: 'daemon_uptime_seconds',
      help: 'Time since the daemon started.',
      registers,
      collect() {
        this.set(daemon.uptimeMs / 1_000);
      },
    });
    new Gauge({
      name: 'daemon_strategies',
      help: 'Strategies by state.',
      labelNames: ['state'],
      registers,
      collect() {
        for (const state of states) {
          this.set({ state }, daemon.strategies.filter((strategy) => strategy.state === state).length);
        }
      },
    });
    new Gauge({
      name: 'daemon_gateway_up',
      help: '1 while the gateway answers.',
      labelNames: ['gateway'],
      registers,
      collect() {
        this.reset();
        for (const { session } of daemon.gateways) this.set({ gateway: session.name }, session.reachable ? 1 : 0);
      },
    });
    new Gauge({
      name: 'daemon_gateway_streaming',
      help: '1 while every symbol comes by the event stream of the gateway.',
      labelNames: ['gateway'],
      registers,
      collect() {
        this.reset();
        for (const { session, hub } of daemon.gateways) {
          this.set({ gateway: session.name }, hub.quotes.streaming ? 1 : 0);
        }
      },
    });
    for (const { name, help, value } of quoteCounters) {
      new Counter({
        name: `daemon_gateway_${name}`,
        help,
        labelNames: ['gateway'],
        registers,
        collect() {
          this.reset();
          for (const { session, hub } of daemon.gateways) this.inc({ gateway: session.name }, value(hub.quotes));
        },
      });
    }
    for (const { name, help, value } of accountGauges) {
      new Gauge({
        name: `daemon_gateway_${name}`,
        help,
        labelNames: ['gateway'],
        registers,
        collect() {
          this.reset();
          for (const { session, money } of daemon.gateways) {
            const figure = money.report && value(money.report);
            if (figure !== null && figure !== undefined) this.set({ gateway: session.name }, figure);
          }
        },
      });
    }
    new Gauge({
      name: 'daemon_config_last_reload_successful',
      help: '1 when the last reload of the configuration was taken over as a whole, or none was asked for.',
      registers,
      collect() {
        const { lastReload } = daemon.configuration;
        this.set(lastReload === null || lastReload.outcome === 'applied' ? 1 : 0);
      },
    });
    new Counter({
      name: 'daemon_persistence_failures_total',
      help: 'Writes of state that failed.',
      registers,
      collect() {
        this.reset();
        const all = [...daemon.strategies.map(({ trading }) => trading), ...daemon.portfolios];
        this.inc(all.reduce((sum, { persistence }) => sum + persistence.failedWrites, 0));
      },
    });
    for (const { name, help, value, needsSight = false } of gauges) {
      new Gauge({
        name: `daemon_strategy_${name}`,
        help,
        labelNames: ['strategy'],
        registers,
        collect() {
          this.reset();
          for (const strategy of daemon.strategies) {
            // A figure of a state that could not be read, or of positions nobody has looked at, would be made up.
            const isKnown = strategy.trading.unreadable === null && (!needsSight || strategy.book.isEquityKnown);
            if (isKnown) this.set({ strategy: strategy.spec.name }, value(strategy));
          }
        },
      });
    }
    for (const { name, help, value, needsState = false } of counters) {
      new Counter({
        name: `daemon_strategy_${name}`,
        help,
        labelNames: ['strategy'],
        registers,
        collect() {
          this.reset();
          for (const strategy of daemon.strategies) {
            if (needsState && strategy.trading.unreadable !== null) continue;
            this.inc({ strategy: strategy.spec.name }, value(strategy));
          }
        },
      });
    }
  }
}
