import type { CommandResult } from '@libs/command-folder';
import type { Portfolio } from '../portfolios/portfolio';
import type { StateStore } from '../state/state-store';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { Command } from './command';

export interface Commanded {
  readonly portfolios: readonly Portfolio[];
  readonly strategies: readonly StrategyRunner[];
  readonly store: Pick<StateStore, 'dump'>;
}

/** Executes a command of the operator. @throws Error with the reason if it cannot be executed */
export async function carryOut(command: Command, { portfolios, strategies, store }: Commanded): Promise<CommandResult> {
  if (command.command === 'dump') return { ok: true, message: JSON.stringify(store.dump(), null, 2) };
  const { name } = command;
  const portfolio = portfolios.find(({ spec }) => spec.name === name);
  const strategy = strategies.find(({ spec }) => spec.name === name);
  if (command.command === 'settle') {
    if (!strategy) return { ok: false, message: `no strategy ${name}` };
    await strategy.trading.desk.settle(command.key, command.order);
    return { ok: true, message: `request ${command.key} of ${name} settled` };
  }
  const record = portfolio?.record ?? strategy?.book.record;
  const halting = portfolio ?? strategy?.account;
  if (!record || !halting) return { ok: false, message: `no strategy ${name}` };
  if (command.command === 'halt') {
    // A daily halt ends with the day; that of the operator does not.
    if (record.halt?.kind === 'persistent') return { ok: true, message: `${name} is halted: ${record.halt.reason}` };
    await halting.halt('persistent', command.reason);
    const unsaved = (portfolio?.persistence ?? strategy?.trading.persistence)?.lastError ?? null;
    if (unsaved === null) return { ok: true, message: `${name} halted` };
    return { ok: false, message: `${name} halted, but a restart forgets it: its state cannot be written: ${unsaved}` };
  }
  if (record.halt === null) return { ok: false, message: `${name} is not halted` };
  const parent = portfolios.find(({ spec }) => spec.name === strategy?.spec.portfolio);
  if (parent && parent.record.halt !== null) {
    const { name: book } = parent.spec;
    return { ok: false, message: `${name} is halted with its portfolio: resume ${book}, which resumes its children` };
  }
  await halting.resume();
  return { ok: true, message: `${name} resumed` };
}
