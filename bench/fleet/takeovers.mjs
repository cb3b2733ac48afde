import { performance } from 'node:perf_hooks';
import { figure } from './figure.mjs';
import { FleetRun, until } from './fleet-run.mjs';

/** In milliseconds. */
const limits = { terminated: 2_000, killed: 20_000 };

/** Takeovers of one strategy that trades, by everything that ends a host. @returns figures, and what must not have happened */
export async function takeovers(require, server, { rounds, takeovers: count, leaseSeconds }) {
  const { Scratch } = require('../test/e2e/programs/scratch.ts');
  const { beginsExit, holdersInTurn } = require('../test/e2e/daemon/fleet-rig.ts');
  const scratch = new Scratch();
  try {
    const run = await FleetRun.start(require, scratch, server, leaseSeconds);
    const paused = [];
    const strikes = {
      stop: ({ daemon }) => daemon.stop(),
      kill: ({ daemon }) => daemon.kill(),
      pause: (host) => pause(run, host, beginsExit, leaseSeconds).then((result) => paused.push(result)),
    };
    const several = async (times, strikeOf, before = () => undefined) => {
      const results = [];
      for (let index = 0; index < times; index++) {
        await before();
        results.push(await run.takeover(strikeOf(index)));
      }
      return results;
    };
    const figures = [
      ...took('after SIGTERM', await several(rounds, () => strikes.stop), { runs: limits.terminated }),
      ...took('after SIGKILL', await several(rounds, () => strikes.kill), {
        exit: limits.killed,
        entry: limits.killed,
      }),
      ...took(
        'after SIGKILL, an outcome unknown',
        await several(
          rounds,
          () => strikes.kill,
          () => loseOutcome(run),
        ),
        {
          exit: limits.killed,
        },
      ),
      ...took('after SIGSTOP', await several(rounds, () => strikes.pause), {
        exit: limits.killed,
        entry: limits.killed,
      }),
      figure('after the database was killed and started, an entry', await outages(run, rounds)),
      ...took(
        'SIGTERM and SIGKILL in turn',
        await several(count, (index) => (index % 2 === 0 ? strikes.stop : strikes.kill)),
        { exit: limits.killed, entry: limits.killed },
      ),
    ];
    const { own, broker } = await run.hosts.books(run.holder.daemon, 'probe');
    const { sentUnder, sentKeys } = run.hosts;
    const problems = [
      ...(JSON.stringify(own) === JSON.stringify(broker)
        ? []
        : [`the ledger is ${JSON.stringify(own)}, and ${JSON.stringify(broker)} at the broker`]),
      ...(holdersInTurn(sentUnder) === run.number + 1 ? [] : ['a strategy was run twice, or a holder sent nothing']),
      ...(new Set(sentKeys).size === sentKeys.length ? [] : ['a key was sent twice']),
      ...paused.flatMap(({ accepted, refused }) =>
        accepted === 0 && refused > 0 ? [] : ['a paused host was not refused'],
      ),
    ];
    const refused = paused.reduce((sum, one) => sum + one.refused, 0);
    const facts = [
      `${run.number} takeovers, ${sentKeys.length} requests sent, ${new Set(sentKeys).size} keys; realized ${own.realized}, and ${broker.realized} at the broker.`,
      `After SIGCONT, ${refused} requests of the ${paused.length} hosts that were paused were refused, and ${paused.reduce((sum, one) => sum + one.accepted, 0)} accepted.`,
    ];
    return { figures, facts, problems };
  } finally {
    await scratch.clear();
  }
}

function took(when, times, { runs = null, exit = null, entry = null }) {
  if (times.length === 0) return [];
  const of = (name) => times.map((time) => time[name]);
  return [
    figure(`${when}: the next host runs the strategy`, of('runsMs'), runs),
    figure(`${when}: it has sent an exit`, of('exitMs'), exit),
    figure(`${when}: it has sent an entry`, of('entryMs'), entry),
  ];
}

/** The next send does not reach the broker, and the gateway cannot know that. */
async function loseOutcome({ hosts, broker, holder }) {
  await holder.daemon.untilStatus('probe', ({ positions }) => positions.length === 1);
  const unknown = () => hosts.audit().filter(({ event }) => event === 'unknown_outcome').length;
  const before = unknown();
  await broker.interruptNextSend('close-before');
  await until(() => unknown() > before);
}

/**
 * Pauses a host for longer than its lease while it is about to send an exit, and cuts it off from the database: it sends the
 * exit when it goes on, because nothing states that its lease is lost. @returns how many of its requests were accepted and
 * refused then
 */
async function pause({ hosts }, { daemon, way }, beginsExit, leaseSeconds) {
  const token = hosts.sentUnder.at(-1);
  const ofHost = ({ fence_token: under }) => under === token;
  await way.cutAt(beginsExit);
  daemon.program.signal('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 1_500 * leaseSeconds));
  await until(() => hosts.sentUnder.at(-1) > token);
  const sent = hosts.sends.length;
  daemon.program.signal('SIGCONT');
  await until(() => hosts.fencedOut.some(ofHost) || hosts.sends.slice(sent).some(ofHost));
  way.mend();
  await until(async () => (await daemon.call('/health')).body.strategies === 0);
  const result = {
    accepted: hosts.sends.slice(sent).filter(ofHost).length,
    refused: hosts.fencedOut.filter(ofHost).length,
  };
  await daemon.stop();
  return result;
}

/** Kills the database and starts it again. @returns milliseconds until the holder has sent an entry, each time */
async function outages(run, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    run.server.halt('immediate');
    run.server.boot();
    const sent = run.hosts.sends.length;
    await until(() => run.hosts.sends.slice(sent).some(({ route }) => route === 'POST /order'));
    times.push(performance.now() - began);
    await run.hosts.untilTrades(run.holder.daemon, 'probe', 1);
  }
  return times;
}
