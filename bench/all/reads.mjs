import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTurns, ratioOf } from './rounds.mjs';

const bars = (count) => `/fetch_data_pos?symbol=EURUSD&num_bars=${count}`;
const few = [
  { name: 'tick', path: '/symbol_info_tick/EURUSD' },
  { name: 'account', path: '/account' },
  { name: '3 positions', path: '/get_positions?magic=3' },
  { name: '10 positions', path: '/get_positions' },
  { name: '100 bars', path: bars(100) },
  { name: '10,000 bars', path: bars(10_000), connections: 10 },
];

/**
 * Reads of a gateway with ten positions, three of them with the magic 3: answers per second of processor time, as a share of those of a bare Fastify server and
 * of a Nest skeleton that send the same bytes.
 */
export async function readRatios(gateway, { seconds, rounds }, load) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const servers = [];
  try {
    const answersFile = join(folder, 'answers.json');
    writeFileSync(answersFile, JSON.stringify(await Promise.all(few.map(({ path }) => answerOf(gateway, path)))));
    for (const script of ['bare-server.mjs', 'nest-skeleton.mjs']) {
      const server = fork(new URL(`../${script}`, import.meta.url), [answersFile, gateway.key]);
      servers.push(server);
      const [{ port }] = await once(server, 'message');
      server.url = `http://127.0.0.1:${port}`;
    }
    const rows = [];
    for (const [index, { name, path, connections = 50 }] of few.entries()) {
      const own = { url: `${gateway.url}${path}`, cpuSeconds: async () => (await gateway.usage()).cpuSeconds };
      const others = servers.map(({ url, pid }) => ({ url: `${url}/${index}`, cpuSeconds: () => cpuSecondsOf(pid) }));
      const measurements = [own, ...others].map(({ url, cpuSeconds }) => async () => {
        const before = await cpuSeconds();
        const { answers } = await load({ url, key: gateway.key, connections, seconds });
        return answers / ((await cpuSeconds()) - before);
      });
      // V8 takes some ten thousand answers to optimize the code of a route; the gateway has more of it than a skeleton.
      for (const { url } of [own, ...others]) await load({ url, key: gateway.key, connections, seconds: 2 * seconds });
      const [gatewayRates, bare, skeleton] = await inTurns(rounds, measurements);
      rows.push({
        name: `read of ${name}`,
        yardstick: 'bare Fastify, same bytes',
        ratio: ratioOf(gatewayRates, bare),
        goal: '≥ 0.5',
      });
      rows.push({
        name: `read of ${name}`,
        yardstick: 'Nest skeleton',
        ratio: ratioOf(gatewayRates, skeleton),
        goal: '≥ 0.8',
      });
    }
    return rows;
  } finally {
    for (const server of servers) server.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Processor time of a process so far, in clock ticks of a hundredth of a second (proc(5)). */
function cpuSecondsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function answerOf(gateway, path) {
  const response = await fetch(`${gateway.url}${path}`, { headers: gateway.headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return { contentType: response.headers.get('content-type'), body: await response.text() };
}
