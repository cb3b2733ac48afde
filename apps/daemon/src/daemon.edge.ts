import { randomBytes } from 'node:crypto';
import { SystemClock, type Clock } from '@libs/clock';
import { machineFiles, type Files } from '@libs/files';
import { machineEdge, type ClientEdge } from '@libs/gateway-client';
import { Database, type DatabaseOptions, type FleetDatabase } from '@libs/postgres';
import { StateLock } from '@libs/state-lock';
import { lmdbStores, type StoreEngine } from '@libs/store';
import type { PortAccess } from './control/strategy-port';
import { StrategyPorts } from './control/strategy-ports';
import type { CoreRecordings } from './core/core-recording';
import type { LatencyBook } from './latency/latency-book';
import type { Ports } from './runtime/fleet';
import { bundleStrategy, type Bundle } from './strategies/strategy-bundler';
import type { ThreadHost } from './strategies/thread-host';
import { workerThreads } from './strategies/worker-threads';

/** A state directory that this process holds. */
export interface HeldDirectory {
  release(): Promise<void>;
}

/** Strategy files, and the threads that they run in. */
export interface StrategyHost {
  /** Reads a strategy file with its imports. @throws Error with file, line and column of each problem */
  bundle(path: string): Promise<Bundle>;
  /** Prepares the threads; called once, before the first of them starts. */
  threads(): Promise<ThreadHost>;
}

/** Everything through which the daemon reaches the machine it runs on and its gateways: a simulation replaces it as a whole. */
export interface DaemonEdge {
  readonly clock: Clock;
  /** The state. */
  readonly stores: StoreEngine;
  /** Commands and logs. */
  readonly files: Files;
  /** The way to the gateways, and the time that its deadlines run by. */
  readonly network: ClientEdge;
  readonly strategies: StrategyHost;
  /** Connects to the database of a fleet. @throws DatabaseError */
  openDatabase(options: DatabaseOptions): Promise<FleetDatabase>;
  /** Holds a state directory for this process. @throws StateDirLockedError, StateDirFolderError */
  hold(stateDir: string): Promise<HeldDirectory>;
  /** The strategies' own ports. */
  ports(latency: LatencyBook, access: PortAccess): Ports;
  /** Recordings of what the cores of the strategies handle; null: nothing is recorded. */
  readonly recordings: CoreRecordings | null;
  /** Names a start of the daemon: unlike every other start of any daemon. */
  newSession(): string;
}

/** The machine itself. */
export function systemEdge(): DaemonEdge {
  return {
    clock: new SystemClock(),
    stores: lmdbStores,
    files: machineFiles,
    network: machineEdge,
    strategies: { bundle: bundleStrategy, threads: workerThreads },
    openDatabase: (options) => Database.open(options),
    hold: (stateDir) => StateLock.take(stateDir, 'daemon'),
    ports: (latency, access) => new StrategyPorts(latency, access),
    recordings: null,
    newSession: () => randomBytes(8).toString('hex'),
  };
}
