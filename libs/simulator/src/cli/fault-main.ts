import { SystemClock } from '@libs/clock';
import { LinkClient, TerminalUnavailableError } from '@libs/terminal-client';
import { readFaultAddress } from './fault-address';
import { type FaultCommand, FaultCommandError, type FaultTarget, faultUsage, readFaultCommand } from './fault-command';

const deadlineMs = 5_000;

async function main(): Promise<void> {
  const command = readFaultCommand(process.argv.slice(2));
  if (command === null) return console.log(faultUsage);
  const { port, token } = addressOf(command.target);
  const link = new LinkClient(
    { address: `127.0.0.1:${port}`, token, callTimeoutMs: deadlineMs, tradeTimeoutMs: deadlineMs },
    new SystemClock(),
  );
  await link.open().catch((error: unknown) => {
    throw new FaultCommandError(`no simulator answers at 127.0.0.1:${port}: ${reasonOf(error)}`);
  });
  try {
    const answer = await link.callExtension(command.method, command.params).catch((error: unknown) => {
      // This connection is one of those that are cut.
      if (command.method !== 'sim.dropConnections' || !hasLostLink(error)) throw error;
    });
    console.log(await report(link, command, answer));
  } finally {
    link.close();
  }
}

function addressOf(target: FaultTarget): { port: number; token: string } {
  if (target.kind === 'served') {
    const token = target.token ?? process.env['TERMINAL_BRIDGE_TOKEN'];
    if (!token) throw new FaultCommandError('--port needs --token or the variable TERMINAL_BRIDGE_TOKEN');
    return { port: target.port, token };
  }
  const stateDir = target.stateDir ?? (process.env['STATE_DIR'] || '.data/gateway/state');
  const address = readFaultAddress(stateDir);
  if (address) return address;
  throw new FaultCommandError(
    `no gateway with SIM_FAULTS=1 runs on ${stateDir}; name its STATE_DIR with --state-dir, or a served simulator with --port`,
  );
}

/** What holds after the command: the answer of one that reads, and the faults in force for the others. */
async function report(link: LinkClient, { method, params }: FaultCommand, answer: unknown): Promise<string> {
  if (method === 'sim.feedStatus') return JSON.stringify(answer);
  if (method === 'sim.advance') return JSON.stringify(await link.callExtension('sim.feedStatus', []));
  if (method === 'sim.dropConnections') return 'cut every connection';
  if (method === 'sim.loginByHand') return 'logged in';
  if (method === 'sim.setSymbol') return `changed ${String(params[0])}: ${JSON.stringify(params[1])}`;
  if (method === 'sim.interrupt') return `set: ${params.join(' ')}`;
  const faults = method === 'sim.listFaults' ? answer : await link.callExtension('sim.listFaults', []);
  if (!Array.isArray(faults) || faults.length === 0) return 'no fault is in force';
  return ['in force:', ...faults.map((fault) => `  ${JSON.stringify(fault)}`)].join('\n');
}

function hasLostLink(error: unknown): boolean {
  return error instanceof TerminalUnavailableError && error.failure === 'disconnected';
}

function reasonOf(error: unknown): string {
  if (error instanceof TerminalUnavailableError) return error.lastError.message;
  return error instanceof Error ? error.message : String(error);
}

main().catch((error: unknown) => {
  console.error(`simulator:fault: ${reasonOf(error)}`);
  if (error instanceof FaultCommandError) console.error('npm run simulator:fault -- --help lists all commands.');
  process.exitCode = 1;
});
