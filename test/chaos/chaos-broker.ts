import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { LinkClient, type TerminalClient } from '@libs/terminal-client';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';
import type { Scratch } from '../e2e/programs/scratch';

const token = 'chaos-token';

/** The account every process of a chaos run agrees on. */
export const account = { LOGIN: '100001', PASSWORD: 'simulator', SERVER: 'Simulator-Demo' } as const;

/** A simulated broker in a process of its own: it lives on whatever happens to the gateway. */
export class ChaosBroker {
  private constructor(private readonly port: string) {}

  /** @param market settings of the simulator */
  static async start(scratch: Scratch, market: Readonly<Record<string, string>> = {}): Promise<ChaosBroker> {
    const program = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/libs/simulator/src/cli/main.js'), '--port', '0', '--token', token],
      env: {
        ...bareEnvironment(),
        ...Object.fromEntries(Object.entries(account).map(([name, value]) => [`SIM_${name}`, value])),
        SIM_BALANCE: '1000000000',
        SIM_HISTORY_DAYS: '5',
        ...market,
      },
    });
    scratch.undo(() => program.stop());
    const line = await program.line(/listening on \d+/);
    return new ChaosBroker(line.replace(/\D+/g, ''));
  }

  /** What a gateway needs to reach it. */
  get settings(): Record<string, string> {
    return {
      ...Object.fromEntries(Object.entries(account).map(([name, value]) => [`TERMINAL_${name}`, value])),
      TERMINAL_DRIVER: 'bridge',
      TERMINAL_BRIDGE_ADDR: `127.0.0.1:${this.port}`,
      TERMINAL_BRIDGE_TOKEN: token,
    };
  }

  /** Breaks the link around the next send: before the broker acts on it, after it did, or by keeping the answer. */
  interruptNextSend(how: 'close-before' | 'close-after' | 'no-answer'): Promise<void> {
    return this.command('sim.interrupt', ['orderSend', how, 1]);
  }

  /** Lets each call of the terminal take so long; 0: none. */
  setLatency(ms: number): Promise<void> {
    return this.command('sim.setFault', [{ kind: 'latency', ms }]);
  }

  private async command(method: string, params: readonly unknown[]): Promise<void> {
    const socket = connect(Number(this.port), '127.0.0.1');
    const call = (id: number, name: string, given: unknown): void =>
      void socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: name, params: given })}\n`);
    await once(socket, 'connect');
    call(1, 'hello', { token, protocol: 1 });
    await once(socket, 'data');
    call(2, method, params);
    await once(socket, 'data');
    socket.destroy();
  }

  /** Reads the broker itself, past every gateway. */
  async look<T>(read: (terminal: TerminalClient) => Promise<T>): Promise<T> {
    const terminal = new LinkClient(
      { address: `127.0.0.1:${this.port}`, token, callTimeoutMs: 30_000, tradeTimeoutMs: 30_000 },
      new SystemClock(),
    );
    await terminal.connect();
    try {
      return await read(terminal);
    } finally {
      await terminal.shutdown();
    }
  }
}
