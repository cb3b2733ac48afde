import type { CommandResult } from '@libs/command-folder';
import type { Portfolio } from '../portfolios/portfolio';
import type { ReloadReport } from '../runtime/reload-report';
import type { StateStore } from '../state/state-store';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { Command } from './command';
import { halted, flattened, resumed, type Halting } from './halting';

export interface Commanded {
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
