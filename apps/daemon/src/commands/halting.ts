import type { CommandResult } from '@libs/command-folder';
import type { Portfolio } from '../portfolios/portfolio';
import type { Persistence } from '../state/persistence';
import type { StrategyRunner } from '../strategies/strategy-runner';

/** A strategy or portfolio that the operator halts or resumes. */
export interface Halting {
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
  if (positions + orders + requests === 0) return 'it has no position and no pending order';
  const flights = requests === 0 ? [] : [`${counted(requests, 'request')} in flight`];
  return `it has ${[counted(positions, 'position'), counted(orders, 'pending order'), ...flights].join(', ')}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
