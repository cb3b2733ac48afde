import type { LatencyBook } from '../latency/latency-book';
import type { StrategyRunner } from '../strategies/strategy-runner';
import { StrategyPort, type PortAccess } from './strategy-port';

/** Every strategy's own port. */
export class StrategyPorts {
  private readonly listening = new Map<StrategyRunner, StrategyPort>();

  constructor(
    private readonly latency: LatencyBook,
    private readonly access: PortAccess,
  ) {}

  async open(strategy: StrategyRunner): Promise<void> {
    const port = new StrategyPort(strategy, this.latency, this.access);
    strategy.port = await port.open();
    this.listening.set(strategy, port);
  }

  close(strategy: StrategyRunner): void {
    this.listening.get(strategy)?.close();
    this.listening.delete(strategy);
    strategy.port = null;
  }
}
