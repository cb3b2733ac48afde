import type { Clock } from '@libs/clock';
import { LinkServer } from '@libs/terminal-client';
import type { Simulator } from '../simulator';
import { removeFaultAddress, writeFaultAddress } from './fault-address';
import { brokerExtensions } from './link-extensions';

export interface ServedFaults {
  /** The port on loopback at which faults are set. */
  readonly port: number;
  stop(): Promise<void>;
}

export interface FaultServing {
  /** What a peer has to show; a new one each time, written to the folder for `npm run simulator:fault`. */
  readonly token: string;
  readonly stateDir: string;
}

/**
 * Opens a port on loopback at which faults of a simulator in this process are set. It rejects every method of the
 * terminal: orders reach the simulator through the gateway alone.
 * @throws the system's error when the port or the address file cannot be made
 */
export async function serveFaults(
  simulator: Simulator,
  { token, stateDir }: FaultServing,
  clock: Clock,
): Promise<ServedFaults> {
  const extensions = brokerExtensions(simulator);
  const options = { port: 0, host: '127.0.0.1', driver: 'simulator-faults', build: 0, extensionsOnly: true };
  const server = new LinkServer({ ...options, token, extensions }, () => simulator.connect(), clock);
  const port = await server.listen();
  const stop = async (): Promise<void> => {
    removeFaultAddress(stateDir);
    await server.close();
  };
  try {
    writeFaultAddress(stateDir, { port, token });
  } catch (error) {
    await server.close();
    throw error;
  }
  return { port, stop };
}
