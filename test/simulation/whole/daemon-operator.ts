import type { DaemonApp } from '../../../apps/daemon/src/daemon.app';
import type { Portfolio } from '../../../apps/daemon/src/portfolios/portfolio';
import type { StrategyRunner } from '../../../apps/daemon/src/strategies/strategy-runner';
import { tagOfKey } from '../../../apps/gateway/src/trade-journal/key-marks';
import type { ProgramProcess } from '../program-process';
import type { DaemonMachine } from './daemon-machine';
import type { GatewaySite } from './gateway-site';
import type { TradeAsks } from './trade-asks';

export interface DaemonOperatorWorld {
  readonly daemon: ProgramProcess<DaemonApp>;
  readonly machine: DaemonMachine;
  readonly asks: TradeAsks;
  readonly sites: readonly GatewaySite[];
  trace(line: string): void;
}

/** A person at the daemon's machine: reloads the configuration and leaves commands. */
export class DaemonOperator {
  constructor(private readonly world: DaemonOperatorWorld) {}

  /** What is deployed; nothing while the daemon is down. */
  get strategies(): readonly StrategyRunner[] {
    return this.world.daemon.run?.app?.daemon.strategies ?? [];
  }

  /** @param refused called when the daemon does not take the configuration over */
  reload(refused: () => void = () => undefined): void {
    const { daemon, trace } = this.world;
    void daemon.run?.app?.daemon.reload().then(({ outcome, problems }) => {
      trace(`daemon: reload is ${outcome}${problems.length === 0 ? '' : `: ${problems.join('; ')}`}`);
      if (outcome === 'refused') refused();
    });
  }

  /** What is deployed; nothing while the daemon is down. */
  get portfolios(): readonly Portfolio[] {
    return this.world.daemon.run?.app?.daemon.portfolios ?? [];
  }

  /** Ends the halt of a portfolio or strategy. @param which a share of the number of those that are halted */
  resume(which: number): void {
    const halted = [
      ...this.portfolios.filter(({ record }) => record.halt !== null),
      ...this.strategies.filter(({ book }) => book.record.halt !== null),
    ];
    const name = halted[Math.floor(which * halted.length)]?.spec.name;
    if (name !== undefined) this.world.machine.leave({ command: 'resume', name });
  }

  /** Has all of a strategy closed. @param which a share of the number of strategies */
  flatten(which: number): void {
    const name = this.strategies[Math.floor(which * this.strategies.length)]?.spec.name;
    if (name !== undefined) this.world.machine.leave({ command: 'flatten', name, reason: 'by the operator' });
  }

  /** States the truth, as the terminal shows it, of requests whose outcome the daemon cannot resolve. */
  settle(): void {
    const { asks, sites, machine, trace } = this.world;
    for (const { spec, trading } of this.strategies) {
      const key = /the outcome of request (\S+) on/.exec(trading.desk.problem ?? '')?.[1];
      if (key === undefined) continue;
      const site = sites[asks.byKey.get(key)?.site ?? -1];
      const order = site ? orderWithTag(site, tagOfKey(key)) : null;
      trace(`daemon: an operator settles ${key}: ${order ?? 'not executed'}`);
      machine.leave({ command: 'settle', name: spec.name, key, order });
    }
  }

  /** Does what is left to a person while something is not settled. @param configured how many strategies there are */
  calm(configured: number): void {
    this.resume(0);
    this.settle();
    if (this.strategies.length < configured) this.reload();
  }
}

/** The order that carries a comment at the broker; null when there is none. */
function orderWithTag({ broker }: GatewaySite, tag: string): number | null {
  const { orders, historyOrders } = broker.book;
  return [...orders.values(), ...historyOrders.rows].find(({ comment }) => comment === tag)?.ticket ?? null;
}
