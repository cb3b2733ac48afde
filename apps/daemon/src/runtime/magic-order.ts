import type { StrategySpec } from '../core/strategy-spec';
import type { Shutdown } from '../shutdown';
import type { Fleet } from './fleet';
import type { ReloadNotes } from './reload-report';

/** A strategy that is to be added or swapped; its magic is then taken. */
export interface Step {
  readonly spec: StrategySpec;
  /** The list of the report that it belongs to when it is done. */
  readonly list: string[];
  /** Whether it has a chance. Asked before it is tried again. */
  mayRun(): boolean;
  run(): Promise<void>;
}

export interface StepSurroundings {
  readonly fleet: Fleet;
  readonly shutdown: Shutdown;
  readonly notes: ReloadNotes;
}

/** Two strategies never share a magic on one gateway: each waits until the previous one has released it. */
export async function inMagicOrder(
  steps: readonly Step[],
  { fleet, shutdown, notes }: StepSurroundings,
): Promise<void> {
  const waiting = [...steps];
  while (waiting.length > 0 && !shutdown.isStopping) {
    const ready = waiting.findIndex(({ spec }) => holderOf(spec, fleet) === null);
    const [step] = waiting.splice(Math.max(0, ready), 1);
    if (!step) return;
    const { spec } = step;
    const holder = holderOf(spec, fleet);
    if (holder === null) await notes.attempt(spec.name, step.list, () => step.run());
    else notes.postponed.set(spec.name, `${spec.name}: magic ${spec.magic} is still in use by ${holder}`);
  }
}

function holderOf({ name, magic, streams }: StrategySpec, { strategies }: Fleet): string | null {
  const brokers = streams.map(({ broker }) => broker);
  const holder = strategies.find(
    ({ spec }) =>
      spec.name !== name && spec.magic === magic && spec.streams.some(({ broker }) => brokers.includes(broker)),
  );
  return holder?.spec.name ?? null;
}
