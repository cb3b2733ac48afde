import { performance } from 'node:perf_hooks';
import { figure } from './figure.mjs';

/** Trades with every bar. */
const body = `if (trade.warmingUp) return;
  const [open] = trade.positions();
  if (open) trade.close(open); else trade.buy('main', { volume: 0.1 });`;
const pollMs = 20;

/** Takeovers of one strategy that trades: by SIGTERM, by SIGKILL, and by both in turn. */
export async function takeovers(require, server, { rounds, takeovers: count, leaseSeconds }) {
  const { GatewayProgram } = require('../test/e2e/programs/gateway-program.ts');
  const { fastMarket } = require('../test/e2e/programs/markets.ts');
  const { Scratch } = require('../test/e2e/programs/scratch.ts');
  const { strategyFile } = require('../test/e2e/daemon/daemon-program.ts');
  const { FleetHosts, holdersInTurn } = require('../test/e2e/daemon/fleet-rig.ts');
  const scratch = new Scratch();
  try {
    const gateway = await GatewayProgram.startReady(scratch, fastMarket());
    const module = strategyFile(scratch.folder(), 'probe', body);
    const hosts = new FleetHosts(scratch, server, gateway, [{ name: 'probe', module }], leaseSeconds);
    const run = { hosts, holder: await hosts.start('host-0'), number: 0 };
    await hosts.untilTrades(run.holder, 'probe');
    const terminated = await several(run, rounds, () => 'SIGTERM');
    const killed = await several(run, rounds, () => 'SIGKILL');
    const mixed = await several(run, count, (index) => (index % 2 === 0 ? 'SIGTERM' : 'SIGKILL'));
    const { own, broker } = await hosts.books(run.holder, 'probe');
    const problems = [
      ...(JSON.stringify(own) === JSON.stringify(broker)
        ? []
        : [`the ledger is ${JSON.stringify(own)}, and ${JSON.stringify(broker)} at the broker`]),
      ...(holdersInTurn(hosts.sentUnder) === run.number + 1
        ? []
        : ['a strategy was run twice, or a holder sent nothing']),
      ...(new Set(hosts.sentKeys).size === hosts.sentKeys.length ? [] : ['a key was sent twice']),
    ];
    const rows = [...running('SIGTERM', terminated), ...running('SIGKILL', killed), ...running('both in turn', mixed)];
    return { rows, problems };
  } finally {
    await scratch.clear();
  }
}

function running(name, times) {
  if (times.length === 0) return [];
  return [
    figure(
      `${name}: the next host runs the strategy`,
      times.map(({ runsMs }) => runsMs),
    ),
    figure(
      `${name}: it has sent a request`,
      times.map(({ sentMs }) => sentMs),
    ),
  ];
}

async function several(run, count, signalOf) {
  const times = [];
  for (let index = 0; index < count; index++) times.push(await takeover(run, signalOf(index)));
  return times;
}

/** Ends the host that runs the strategy, once another one waits for it and once it trades. */
async function takeover(run, signal) {
  const { hosts, holder } = run;
  run.number += 1;
  const next = await hosts.start(`host-${run.number}`);
  await until(async () => (await next.call('/health')).body.fleet?.database === 'ok');
  const sent = hosts.sentUnder.length;
  const beganMs = performance.now();
  const ended = signal === 'SIGTERM' ? holder.stop() : holder.kill();
  await until(async () => (await next.status('probe').catch(() => null))?.state === 'running');
  const runsMs = performance.now() - beganMs;
  await ended;
  const token = hosts.sentUnder[sent - 1] ?? 0;
  await until(() => Promise.resolve((hosts.sentUnder.at(-1) ?? 0) > token));
  const sentMs = performance.now() - beganMs;
  run.holder = next;
  await hosts.untilTrades(next, 'probe', 1);
  return { runsMs, sentMs };
}

async function until(holds) {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, pollMs));
}
