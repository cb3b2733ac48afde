import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Scratch } from '../e2e/programs/scratch';
import { effort } from '../setup/effort';
import { ChaosBroker } from './chaos-broker';
import { ChaosGateway, pause } from './chaos-gateway';

const count = Number(process.env.CHAOS_ALERTS ?? effort(40, 10_000));
const kills = Number(process.env.CHAOS_KILLS ?? effort(1, 20));
const secret = 'a-secret-of-a-source-that-is-killed';
/** Their prices have five digits, so that a stop-loss of its own names each alert. */
const symbols = ['EURUSD', 'GBPUSD', 'AUDUSD', 'NZDUSD'];
const senders = 12;
const callMs = 300;

describe('a gateway that is killed while alerts come', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it(
    `has one order for each of ${count} alerts over ${kills} kills, while each call of the terminal takes ${callMs} ms`,
    async () => {
      const folder = scratch.folder();
      const file = join(folder, 'signals.yaml');
      writeFileSync(join(folder, 'secret'), secret);
      const members = [
        ...[`secret_file: ${folder}/secret`, 'magic: 7001', 'max_lots: 1', 'max_open_lots: 100000'],
        ...['max_per_minute: 100000', 'max_age_seconds: 86400', 'sequence: none', 'levels: price'],
        `symbols: { ${symbols.map((symbol) => `${symbol}: ${symbol}`).join(', ')} }`,
      ];
      writeFileSync(file, `sources: { trend: { ${members.join(', ')} } }\n`);
      const broker = await ChaosBroker.start(scratch, { SIM_MARGIN_MODE: 'netting', SIM_HOURS: 'always' });
      const gateway = new ChaosGateway(scratch, broker.settings, {
        env: { SIGNALS_FILE: file, TERMINAL_TRADE_TIMEOUT_MS: '30000' },
      });
      await gateway.start();
      await broker.setLatency(callMs);

      const times = fc.sample(fc.integer({ min: 1, max: 4 }), count);
      const places = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), count * 4);
      const waiting = times
        .flatMap((some, id) => Array.from({ length: some }, (_, at) => ({ id, at: places[id * 4 + at] ?? 0 })))
        .sort((a, b) => a.at - b.at)
        .map(({ id }) => id);
      const deliveries = waiting.length;
      const answeredMs: number[] = [];
      const identities = new Map<number, Set<unknown>>();
      const refusals: string[] = [];
      const send = async (): Promise<void> => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          const alert = { action: 'buy', symbol: symbols[id % symbols.length], lots: 0.01, sl: levelOf(id), id };
          const beganMs = performance.now();
          const answer = await gateway.call('POST', `/signals/trend/${secret}`, alert);
          if (answer === null) {
            // A sender repeats what got no answer.
            waiting.push(id);
            await pause(100);
          } else if (answer.status === 202) {
            answeredMs.push(performance.now() - beganMs);
            const known = identities.get(id) ?? new Set();
            const { id: identity } = JSON.parse(answer.text) as { readonly id: unknown };
            identities.set(id, known.add(identity));
          } else refusals.push(answer.text);
        }
      };
      const sending = Promise.all(Array.from({ length: senders }, send));
      for (let kill = 1; kill <= kills; kill++) {
        while (answeredMs.length < (deliveries * kill) / (kills + 1)) await pause(5);
        await gateway.kill();
        await gateway.start();
      }
      await sending;
      expect(refusals).toEqual([]);
      expect([...identities.values()].filter(({ size }) => size !== 1)).toEqual([]);
      expect(new Set([...identities.values()].flatMap((one) => [...one])).size).toBe(count);

      const p99 = answeredMs.sort((a, b) => a - b)[Math.floor(answeredMs.length * 0.99)] ?? 0;
      process.stdout.write(
        `${count} alerts, ${deliveries} deliveries, ${kills} kills; answers: p99 ${p99.toFixed(0)} ms\n`,
      );
      await broker.setLatency(0);
      const isDone = async (): Promise<boolean> =>
        (await gateway.call('GET', '/health'))?.text.includes('"waiting":0,"unknown":0') ?? false;
      while (!(await isDone())) await pause(200);
      const orders = await broker.look((terminal) => terminal.historyOrdersGet({ from: 0, to: 4_000_000_000 }));
      const levels = orders.filter(({ magic }) => magic === 7001).map(({ sl }) => sl.toFixed(5));
      expect(levels.sort()).toEqual(Array.from({ length: count }, (_, id) => levelOf(id)).sort());
    },
    count * 1_000 + 300_000,
  );
});

function levelOf(id: number): string {
  return (0.3 + id / 100_000).toFixed(5);
}
