import type { Clock } from '@libs/clock';
import { LinkServer } from '@libs/terminal-client';
import { Simulator } from '../simulator';
import type { SimulatorOptions } from '../simulator-options';
import type { HistoryDisk } from '../trading/history-disk';
import { LinkFaults } from './link-extensions';

export interface ServedSimulator {
  readonly simulator: Simulator;
  /** The port it listens on. */
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a simulator and serves it over the link on loopback; every connection sees the same broker. */
export async function serveSimulator(
  options: SimulatorOptions,
  link: { readonly port: number; readonly token: string },
  clock: Clock,
  disk: HistoryDisk | null = null,
): Promise<ServedSimulator> {
  const simulator = new Simulator(options, clock, disk);
  await simulator.start();
  const faults = new LinkFaults(simulator, () => server.dropConnections());
  const build = await buildOf(simulator);
  const server: LinkServer = new LinkServer(
    {
      ...link,
      driver: 'simulator',
      build,
      extensions: faults.extensions,
      login: () => simulator.terminal.loggedIn,
      interrupt: (method) => faults.interrupt(method),
    },
    () => simulator.connect(),
    clock,
  );
  const port = await server.listen();
  const stop = async (): Promise<void> => {
    await server.close();
    await simulator.stop();
  };
  return { simulator, port, stop };
}

async function buildOf(simulator: Simulator): Promise<number> {
  const session = simulator.connect();
  await session.connect();
  const { build } = await session.terminalInfo();
  await session.shutdown();
  return build;
}
