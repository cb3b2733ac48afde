import type { CommandResult } from '@libs/command-folder';
import { countText } from '@libs/gateway-client/figure-text';
import { openVolume } from '../core/deal-booking';
import type { Portfolio } from '../portfolios/portfolio';
import type { ReloadReport } from '../runtime/reload-report';
import type { StateStore } from '../state/state-store';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { Command } from './command';
import type { Persistence } from '../state/persistence';

interface Commanded {
  readonly portfolios: readonly Portfolio[];
  readonly strategies: readonly StrategyRunner[];
  readonly store: Pick<StateStore, 'dump' | 'recordsOf'>;
  reload(): Promise<ReloadReport>;
  /** The host of the fleet that runs a strategy or portfolio; null if none does, or without a fleet. */
  hostOf?(name: string): Promise<string | null>;
}

/** Executes a command of the operator. @throws Error with the reason if it cannot be executed */
export async function carryOut(command: Command, commanded: Commanded): Promise<CommandResult> {
  switch (command.command) {
    case 'dump':
      return { ok: true, message: JSON.stringify(commanded.store.dump(), null, 2) };
    case 'records':
      return { ok: true, message: JSON.stringify(command.names.map((name) => commanded.store.recordsOf(name))) };
    case 'reload': {
      const report = await commanded.reload();
      return { ok: report.outcome === 'applied', message: JSON.stringify(report) };
    }
    case 'settle': {
      const { name, key, order } = command;
      const strategy = commanded.strategies.find(({ spec }) => spec.name === name);
      if (!strategy) return unknown(name, commanded);
      await strategy.trading.desk.settle(key, order);
      return { ok: true, message: `request ${key} of ${name} settled` };
    }
    default: {
      const found = haltingOf(command.name, commanded);
      if (found === null) return unknown(command.name, commanded);
      if (command.command === 'halt') return halted(found, command.reason);
      if (command.command === 'flatten') return flattened(found, command.reason);
      return resumed(found);
    }
  }
}

/** Whether a command may take so long that those after it must not wait for it: a halt must not wait for a reload. */
export function isLong({ command }: Command): boolean {
  return command === 'reload';
}

async function unknown(name: string, { hostOf }: Pick<Commanded, 'hostOf'>): Promise<CommandResult> {
  const host = (await hostOf?.(name)) ?? null;
  if (host === null) return { ok: false, message: `no strategy ${name}` };
  return { ok: false, message: `${name} runs on ${host}: give the command on that host, with its state directory` };
}

/** The strategy or portfolio of a name; null if there is none. */
function haltingOf(name: string, { portfolios, strategies }: Commanded): Halting | null {
  const portfolio = portfolios.find(({ spec }) => spec.name === name);
  if (portfolio)
    return { name, of: portfolio, persistence: portfolio.persistence, strategies: portfolio.children, parent: null };
  const strategy = strategies.find(({ spec }) => spec.name === name);
  if (!strategy) return null;
  const { trading, account, spec } = strategy;
  const parent = portfolios.find((other) => other.spec.name === spec.portfolio) ?? null;
  const of = {
    get record() {
      return strategy.book.record;
    },
    halt: account.halt.bind(account),
    resume: account.resume.bind(account),
  };
  return { name, of, persistence: trading.persistence, strategies: [strategy], parent };
}

/** A strategy or portfolio that the operator halts or resumes. */
interface Halting {
  readonly name: string;
  readonly of: Pick<Portfolio, 'record' | 'halt' | 'resume'>;
  readonly persistence: Pick<Persistence, 'lastError'>;
  /** The strategy itself, or the children of the portfolio. */
  readonly strategies: readonly StrategyRunner[];
  /** The portfolio of a child; null for anything else. */
  readonly parent: Portfolio | null;
}

/** Denies entries and cancels pending orders until the operator resumes. */
export async function halted({ name, of, persistence }: Halting, reason: string): Promise<CommandResult> {
  const { halt } = of.record;
  // A daily halt ends with the day; that of the operator does not.
  if (halt?.kind === 'persistent') return { ok: true, message: `${name} is halted: ${halt.reason}` };
  await of.halt('persistent', reason, false, true);
  return durable(name, persistence, `${name} halted`);
}

/** Halts, and has all positions closed. They are closed in the background, with each read of the account, refused or not, until none is open. */
export async function flattened(
  { name, of, persistence, strategies }: Halting,
  reason: string,
): Promise<CommandResult> {
  const unreadable = strategies.filter(({ trading }) => trading.unreadable !== null).map(({ spec }) => spec.name);
  await of.halt('persistent', reason, true, true);
  if (unreadable.length > 0) {
    const message = `the positions of ${unreadable.join(', ')} are unknown, because the state cannot be read: nothing of it is closed`;
    return { ok: false, message };
  }
  const beyond = strategies.flatMap(({ book, services }) =>
    book.openTickets.filter(({ broker }) => !services.gateways.has(broker)),
  );
  if (beyond.length > 0) {
    const names = beyond.map(({ ticket, symbol, broker }) => `${symbol} ${ticket} on ${broker}`).join(', ');
    return { ok: false, message: `${name} halted, but ${names} cannot be closed: the gateway is not configured` };
  }
  return durable(name, persistence, `${name} halted; ${toClose(strategies)}`);
}

/** Ends a halt; positions that are still open stay open. */
export async function resumed({ name, of, parent }: Halting): Promise<CommandResult> {
  if (of.record.halt === null) return { ok: false, message: `${name} is not halted` };
  if (parent && parent.record.halt !== null) {
    const { name: book } = parent.spec;
    return { ok: false, message: `${name} is halted with its portfolio: resume ${book}, which resumes its children` };
  }
  await of.resume();
  return { ok: true, message: `${name} resumed` };
}

function durable(name: string, { lastError }: Halting['persistence'], message: string): CommandResult {
  if (lastError === null) return { ok: true, message };
  return {
    ok: false,
    message: `${name} halted only until the next restart: its state cannot be written: ${lastError}`,
  };
}

function toClose(strategies: readonly StrategyRunner[]): string {
  const sum = (of: (strategy: StrategyRunner) => number): number =>
    strategies.reduce((total, strategy) => total + of(strategy), 0);
  if (strategies.some(({ book }) => !book.isEquityKnown))
    return 'an account has not been read yet, so its positions are not known';
  const positions = sum(({ book }) => book.held.length + book.unshown.length);
  const orders = sum(({ book }) => book.orders.length);
  const requests = sum(({ trading }) => trading.desk.inFlight);
  // Beside the positions that their deals prove.
  const awaited = sum(({ trading: { desk } }) => desk.awaited.filter((owned) => openVolume(owned).lte(0)).length);
  if (positions + orders + requests + awaited === 0) return 'it has no position and no pending order';
  const more = [
    ...(requests === 0 ? [] : [`${countText(requests, 'request')} in flight`]),
    ...(awaited === 0 ? [] : [`${countText(awaited, 'order')} of which the account does not show the position yet`]),
  ];
  return `it has ${[countText(positions, 'position'), countText(orders, 'pending order'), ...more].join(', ')}`;
}
