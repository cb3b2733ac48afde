import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { StrategySpec } from '../core/strategy-spec';
import type { DaemonFile, GatewaySpec } from '../daemon-file/daemon-file';
import { changesBetween, fixedMembers, type Differences, type FileChanges } from '../daemon-file/file-changes';
import { DaemonFileError } from '../daemon-file/daemon-file-error';
import type { Gateways } from './gateways';
import type { Services } from '../strategies/services';
import { mayRetire, retire } from '../strategies/strategy-retirement';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { Bundle } from '../strategies/strategy-bundler';
import { maySwap, swap } from '../strategies/strategy-swap';
import type { Fleet } from './fleet';
import { ReloadNotes, refused, type ReloadReport } from './reload-report';
import type { Shutdown } from '../shutdown';

interface ReloadSurroundings {
  readonly fleet: Fleet;
  readonly gateways: Gateways;
  readonly services: Services;
  readonly logger: Logger;
  /** Reads the configuration file again. @throws DaemonFileError */
  readonly readFile: () => DaemonFile;
  /** The part of a configuration that has to run here now. */
  readonly partOf: (file: DaemonFile) => DaemonFile;
  /** Whether a strategy that the file lacks is configured, and has to run on another host. */
  readonly isElsewhere: (name: string) => boolean;
}

/** A new version of a strategy. */
interface Version {
  readonly spec: StrategySpec;
  /** Its text as the reload has read it: files are not read again when it is tried again. */
  readonly bundle: Promise<Bundle>;
}

/**
 * Applies the current configuration file: removed strategies stop, changed ones are loaded and checked before they are
 * swapped, new ones start; the others are not touched. What cannot be applied stays as it is.
 */
export class Reload {
  private readonly notes = new ReloadNotes();
  private readonly at: string;
  private file: DaemonFile | null = null;
  private readonly versions: Version[] = [];

  constructor(private readonly around: ReloadSurroundings) {
    this.at = new Date(around.services.clock.nowMs()).toISOString();
  }

  /** Whether something is left that {@link complete} tries again. */
  get isPostponed(): boolean {
    return this.notes.postponed.size > 0;
  }

  async run(): Promise<ReloadReport> {
    const { at } = this;
    try {
      const whole = this.around.readFile();
      const file = this.around.partOf(whole);
      const changes = changesBetween(this.running(), file);
      this.checkGateways(changes.gateways);
      await this.apply(file, changes);
      this.file = whole;
      return this.notes.report(at);
    } catch (error) {
      if (error instanceof DaemonFileError) return refused(at, error.problems);
      return refused(at, [error instanceof Error ? error.message : String(error)]);
    }
  }

  /**
   * Tries again what was postponed and has what it waited for, as far as can be seen: removals first, then new versions and
   * strategies that waited for a magic number, then gateways. No file is read again.
   * @returns the report of the reload as it is now; null if it was refused
   */
  async complete(): Promise<ReloadReport | null> {
    if (this.file === null) return null;
    const { notes, at } = this;
    const file = this.around.partOf(this.file);
    const { gateways, strategies, portfolios } = changesBetween(this.running(), file);
    const removed = this.removedOf(strategies);
    const waiting = [...(await this.outstanding()), ...this.additions(strategies.added)].filter(({ spec }) =>
      notes.postponed.has(spec.name),
    );
    // A strategy of which nothing is left to do may have been taken by another host.
    notes.keepPostponed([...removed, ...waiting.map(({ spec }) => spec)].map(({ name }) => name));
    await Promise.all(removed.filter((spec) => mayRetire(this.runner(spec))).map((spec) => this.remove(spec)));
    await this.inMagicOrder(waiting.filter((step) => step.mayRun()));
    await this.around.fleet.arrange(file);
    this.noteRemoved({ gateways, portfolios });
    return notes.report(at);
  }

  /** The configuration by what runs, which may be less than the file that was read last. */
  private running(): DaemonFile {
    const { fleet, gateways } = this.around;
    return {
      gateways: gateways.all.map(({ session }) => session.spec),
      strategies: fleet.strategies.map(({ spec }) => spec),
      portfolios: fleet.portfolios.map(({ spec }) => spec),
    };
  }

  /** A gateway's name identifies one account: outcomes of in-flight requests are read where these were sent. */
  private checkGateways({ changed, added }: Differences<GatewaySpec, GatewaySpec>): void {
    const { gateways } = this.around;
    const problems = changed.flatMap((spec) => {
      const { session } = gateways.get(spec.name);
      const fixed = fixedMembers(session.spec, spec).map(
        (member) =>
          `gateways.${spec.name}.${member} has changed: restart the daemon, or add the gateway under another name`,
      );
      return [...fixed, ...[session.wouldMismatch(spec)].filter((problem) => problem !== null)];
    });
    if (problems.length > 0) throw new DaemonFileError('configuration', problems);
    for (const spec of added) gateways.add(spec);
    for (const spec of changed) gateways.get(spec.name).session.respec(spec);
  }

  private async apply(file: DaemonFile, { gateways, strategies, portfolios }: FileChanges): Promise<void> {
    const { fleet, services } = this.around;
    const { notes } = this;
    services.bundles.renew();
    await Promise.all(gateways.added.map(({ name }) => this.around.gateways.verify(this.around.gateways.get(name))));
    await Promise.all(this.removedOf(strategies).map((spec) => this.remove(spec)));
    for (const { spec, swaps } of strategies.changed) {
      if (!swaps) await notes.attempt(spec.name, notes.changed, () => this.runner(spec).account.respec(spec));
    }
    const rewritten = await this.withNewText([
      ...strategies.same,
      ...strategies.changed.filter(({ swaps }) => !swaps).map(({ spec }) => spec),
    ]);
    const swapped = strategies.changed.filter(({ swaps }) => swaps).map(({ spec }) => spec);
    for (const spec of [...swapped, ...rewritten]) this.versions.push(await this.versionOf(spec));
    await this.inMagicOrder([
      ...this.versions.map((version) => this.swapTo(version)),
      ...this.additions(strategies.added),
    ]);
    await fleet.arrange(file);
    for (const { added, changed } of [gateways, portfolios]) {
      notes.added.push(...added.map(({ name }) => name));
      notes.changed.push(...changed.map(({ name }) => name));
    }
    this.noteRemoved({ gateways, portfolios });
  }

  /** A lease may have ended since the reload began: what is not removed is handed over, with its orders. */
  private removedOf({ removed }: FileChanges['strategies']): readonly StrategySpec[] {
    return removed.filter(({ name }) => !this.around.isElsewhere(name));
  }

  private additions(added: readonly StrategySpec[]): Step[] {
    const list = this.notes.added;
    return added.map((spec) => ({ spec, list, mayRun: () => true, run: () => this.add(spec) }));
  }

  private swapTo({ spec, bundle }: Version): Step {
    return {
      spec,
      list: this.notes.changed,
      mayRun: () => maySwap(this.runner(spec), spec),
      run: async () => swap(this.runner(spec), spec, await bundle),
    };
  }

  /** The swaps to versions that do not run. A unit that was on another host meanwhile runs the new one. */
  private async outstanding(): Promise<readonly Step[]> {
    const { fleet } = this.around;
    const steps: Step[] = [];
    for (const version of this.versions) {
      const runner = fleet.strategy(version.spec.name);
      const bundle = await version.bundle.catch(() => null);
      const runs = isDeepStrictEqual(runner?.spec, version.spec) && runner?.text.loaded?.code === bundle?.code;
      if (runner && !runs) steps.push(this.swapTo(version));
    }
    return steps;
  }

  private async versionOf(spec: StrategySpec): Promise<Version> {
    const bundle = this.around.services.bundles.of(spec.module);
    // One file at a time.
    await bundle.catch(() => undefined);
    return { spec, bundle };
  }

  private async remove(spec: StrategySpec): Promise<void> {
    const strategy = this.runner(spec);
    const run = async (): Promise<void> => {
      const left = await retire(strategy);
      this.around.fleet.remove(strategy);
      for (const { broker, ticket, symbol } of left) {
        const position = { strategy: spec.name, gateway: broker, ticket, symbol };
        this.around.logger.error(position, 'a removed strategy left a position open; it is no longer managed');
      }
    };
    await this.notes.attempt(spec.name, this.notes.removed, run, () => true);
  }

  private async add(spec: StrategySpec): Promise<void> {
    const { fleet } = this.around;
    const strategy = fleet.add(spec);
    try {
      await fleet.openPort(strategy);
    } catch (error) {
      fleet.remove(strategy);
      throw error;
    }
    await strategy.start();
    const { state, problem } = strategy.lifecycle;
    if (state === 'failed' || problem !== null) throw new Error(problem ?? 'it failed');
  }

  /** Strategies whose file, or an import of it, differs from the running text. */
  private async withNewText(specs: readonly StrategySpec[]): Promise<readonly StrategySpec[]> {
    const { bundles } = this.around.services;
    const rewritten: StrategySpec[] = [];
    for (const spec of specs) {
      const running = this.runner(spec).text.loaded;
      const bundle = await bundles.of(spec.module).catch(() => null);
      // A text that does not bundle is a change too: the swap says what is wrong with it.
      if (running?.code !== bundle?.code) rewritten.push(spec);
    }
    return rewritten;
  }

  private async inMagicOrder(steps: readonly Step[]): Promise<void> {
    const { fleet, services } = this.around;
    await inMagicOrder(steps, { fleet, shutdown: services.shutdown, notes: this.notes });
  }

  private noteRemoved({ gateways, portfolios }: Pick<FileChanges, 'gateways' | 'portfolios'>): void {
    for (const { removed } of [gateways, portfolios]) {
      const gone = removed.filter(({ name }) => this.isGone(name, removed === gateways.removed));
      this.notes.removed.push(...gone.map(({ name }) => name));
    }
  }

  private isGone(name: string, isGateway: boolean): boolean {
    const { fleet, gateways } = this.around;
    if (!isGateway) return !fleet.portfolios.some(({ spec }) => spec.name === name);
    const user = fleet.strategies.find(({ accounts }) => accounts.brokers.includes(name));
    if (user)
      this.notes.postponed.set(
        `gateway ${name}`,
        `gateway ${name} stays: ${user.spec.name} still uses it, or has positions or orders there`,
      );
    else gateways.remove(name);
    return user === undefined;
  }

  private runner({ name }: StrategySpec): StrategyRunner {
    const found = this.around.fleet.strategy(name);
    if (!found) throw new Error(`no strategy ${name}`);
    return found;
  }
}

/** A strategy that is to be added or swapped; its magic is then taken. */
export interface Step {
  readonly spec: StrategySpec;
  /** The list of the report that it belongs to when it is done. */
  readonly list: string[];
  /** Whether it has a chance. Asked before it is tried again. */
  mayRun(): boolean;
  run(): Promise<void>;
}

interface StepSurroundings {
  readonly fleet: Fleet;
  readonly shutdown: Shutdown;
  readonly notes: ReloadNotes;
}

/** Two strategies never share a magic on one gateway: each waits until the previous one has released it. */
async function inMagicOrder(steps: readonly Step[], { fleet, shutdown, notes }: StepSurroundings): Promise<void> {
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
