import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { SystemClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { type Fault, Simulator, simulatorOptions, simulatorSettings } from '@libs/simulator';
import { type Interruption, LinkClient, type TerminalClient } from '@libs/terminal-client';
import { ServingProcess } from './child-process';

const root = resolve(__dirname, '../..');
const clock = new SystemClock();
export const token = 'contract-token';
/** A market that moves twenty times as fast, so that a test meets a fresh quote in no time. */
const simulatorEnv = { SIM_HISTORY_DAYS: '3', SIM_SPEED: '20' };

export const account = { login: 100_001, password: 'simulator', server: 'Simulator-Demo' };
/** How long a send may take in these tests; a fault that hangs is noticed after it. */
export const tradeTimeoutMs = 1_000;

/** One terminal, whatever stands behind the port, and the means to break it. */
export interface Subject {
  /** Attached to the terminal by its own `connect`. */
  readonly terminal: TerminalClient;
  setFault(fault: Fault): Promise<void>;
  clearFaults(): Promise<void>;
  /** The next send is done, and its answer comes only after the deadline. */
  answerLate(): Promise<void>;
  stop(): Promise<void>;
}

/** The simulator in this process. */
export async function embedded(): Promise<Subject> {
  const simulator = new Simulator(simulatorOptions(readSettings(simulatorSettings, simulatorEnv)), clock);
  await simulator.start();
  return {
    terminal: simulator.connect({ tradeTimeoutMs }),
    setFault: async (fault) => simulator.faults.set(fault),
    clearFaults: async () => simulator.faults.clear(),
    answerLate: async () => simulator.faults.set({ kind: 'lose-answer', lateMs: tradeTimeoutMs + 200, times: 1 }),
    stop: () => simulator.stop(),
  };
}

/** A simulator in a process of its own, with its faults. */
export class ServedSimulator {
  private constructor(
    readonly process: ServingProcess,
    private readonly control: LinkClient,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<ServedSimulator> {
    const folder = mkdtempSync(join(tmpdir(), 'served-simulator-'));
    try {
      const outfile = join(folder, 'simulator.cjs');
      const entry = join(root, 'libs/simulator/src/cli/main.ts');
      buildSync({
        entryPoints: [entry],
        outfile,
        ...{
          bundle: true,
          platform: 'node',
          target: 'node20',
          tsconfig: join(root, 'tsconfig.json'),
          logLevel: 'error',
        },
      });
      const served = await ServingProcess.start(process.execPath, [outfile, '--port', '0', '--token', token], {
        ...simulatorEnv,
        ...env,
      });
      const control = linkTo(served.port);
      await control.connect();
      return new ServedSimulator(served, control);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  get address(): string {
    return `127.0.0.1:${this.process.port}`;
  }

  async setFault(fault: Fault): Promise<void> {
    await this.control.callExtension('sim.setFault', [fault]);
    // A terminal that cannot be reached cuts this session off as well; its link still stands.
  }

  async clearFaults(): Promise<void> {
    await this.control.callExtension('sim.clearFaults', []);
  }

  /** Breaks the link itself around the next calls of a method. */
  async interrupt(method: string, how: Interruption, times = 1): Promise<void> {
    await this.control.callExtension('sim.interrupt', [method, how, times]);
  }

  async stop(): Promise<number | null> {
    await this.control.shutdown();
    return this.process.stop();
  }
}

/** A simulator served as a process, over the link. */
export async function served(): Promise<Subject> {
  const simulator = await ServedSimulator.start();
  const terminal = linkTo(simulator.process.port);
  return {
    ...faultsOf(simulator),
    terminal,
    stop: async () => {
      await terminal.shutdown();
      await simulator.stop();
    },
  };
}

export interface BridgeOptions {
  /** Whether the stand-in may use NumPy where it is installed. */
  readonly numpy?: boolean;
  /** The port of a bridge that was there before; a free one without it. */
  readonly port?: number;
  /** The program of a portable terminal, as the host names it to the bridge. */
  readonly terminalPath?: string;
  /** After how many seconds a call counts as hung and ends the package process; the bridge's own without it. */
  readonly hangSeconds?: number;
  /** Whether the stand-in refuses symbols with -5, as the package does beside a terminal of another version. */
  readonly isMismatched?: boolean;
  /** Whether the stand-in sends, then raises SystemError and leaves last_error as it was. */
  readonly raisesAfterSend?: boolean;
}

/** The bridge in a process, over the stand-in package, over a simulator in another process. */
export function startBridge(
  simulator: ServedSimulator,
  {
    numpy = false,
    port = 0,
    terminalPath,
    hangSeconds,
    isMismatched = false,
    raisesAfterSend = false,
  }: BridgeOptions = {},
): Promise<ServingProcess> {
  const hang = hangSeconds === undefined ? [] : ['--hang-seconds', String(hangSeconds)];
  return ServingProcess.start('python3', ['-B', join(root, 'bridge/mt5_bridge.py'), '--port', String(port), ...hang], {
    PYTHONPATH: join(root, 'test/fake-mt5'),
    TERMINAL_BRIDGE_TOKEN: token,
    FAKE_MT5_ADDR: simulator.address,
    FAKE_MT5_TOKEN: token,
    FAKE_MT5_NUMPY: numpy ? '1' : '0',
    FAKE_MT5_MISMATCH: isMismatched ? '1' : '0',
    FAKE_MT5_RAISE_AFTER_SEND: raisesAfterSend ? '1' : '0',
    ...(terminalPath === undefined ? {} : { TERMINAL_PATH: terminalPath, TERMINAL_PORTABLE: '1' }),
  });
}

export async function bridged(options: BridgeOptions = {}): Promise<Subject> {
  const simulator = await ServedSimulator.start();
  const bridge = await startBridge(simulator, options).catch(async (error: unknown) => {
    await simulator.stop();
    throw error;
  });
  const terminal = linkTo(bridge.port);
  return {
    ...faultsOf(simulator),
    terminal,
    stop: async () => {
      await terminal.shutdown();
      await bridge.stop();
      await simulator.stop();
    },
  };
}

export function linkTo(port: number, callTimeoutMs = 5_000): LinkClient {
  return new LinkClient({ address: `127.0.0.1:${port}`, token, callTimeoutMs, tradeTimeoutMs }, clock);
}

function faultsOf(simulator: ServedSimulator): Pick<Subject, 'setFault' | 'clearFaults' | 'answerLate'> {
  return {
    setFault: (fault) => simulator.setFault(fault),
    clearFaults: () => simulator.clearFaults(),
    answerLate: () => simulator.setFault({ kind: 'latency', ms: tradeTimeoutMs + 200, calls: 'sends' }),
  };
}
