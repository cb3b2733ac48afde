import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callTool } from '../../apps/mcp/src/testing/call-tool';
import { freePort } from '../e2e/programs/launcher-program';
import { McpProgram } from '../e2e/programs/mcp-program';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment } from '../e2e/programs/started-program';
import { effort } from '../setup/effort';
import { testSeed } from '../setup/test-seed';
import { ChaosBroker } from './chaos-broker';
import { ChaosGateway, pause } from './chaos-gateway';

const calls = Number(process.env.CHAOS_CALLS ?? effort(150, 10_000));
const kills = Number(process.env.CHAOS_KILLS ?? effort(4, 100));
/** Each handle is issued so often, on average: by an agent that has lost answers. */
const callsPerHandle = 10;
const agents = 4;
/** That nothing was done is proven after a minute, which only the long form has. */
const lost = effort(['close-after'] as const, ['close-after', 'close-before'] as const);
const policy = `magic: 777
handle_seconds: 60
without_person:
  actions: [open]
  symbols: [EURUSD]
  max_lots: 0.01
  max_open_lots: 100000
  max_loss: 100000
  max_requests_per_hour: 10000
  max_requests_per_day: 100000
`;

describe('an agent whose MCP server and gateway are killed', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it(
    `has at most one order for each handle over ${calls} calls and ${kills} kills, and the one that it was told of`,
    async () => {
      let random = testSeed() % 2_147_483_647;
      const draw = (below: number): number => (random = (random * 48_271 + 1) % 2_147_483_647) % below;
      const broker = await ChaosBroker.start(scratch, { SIM_HOURS: 'always' });
      const port = await freePort();
      const gateway = new ChaosGateway(scratch, broker.settings, { env: { TERMINAL_API_PORT: String(port) } });
      await gateway.start();
      const folder = scratch.folder();
      const [file, keyFile] = [join(folder, 'policy.yaml'), join(folder, 'key')];
      writeFileSync(file, policy);
      writeFileSync(keyFile, 'chaos-key');
      const own = { GATEWAY_URL: `http://127.0.0.1:${port}`, API_KEY_FILE: keyFile };
      const env = { ...bareEnvironment(), ...own, MCP_STATE_DIR: folder, MCP_POLICY_FILE: file };
      let server = McpProgram.start(scratch, env, 'auto');

      /** By handle: the level that names its order, and what the agents were told, newest last. */
      const handles = new Map<string, { readonly sl: string; readonly told: string[] }>();
      let [made, issued, sending] = [0, 0, 0];
      const preview = async (): Promise<string | null> => {
        const { client } = await server;
        const sl = (0.3 + made++ / 100_000).toFixed(5);
        const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.01, sl: Number(sl) };
        const { handle } = (await callTool(client, 'preview_order', order)).content;
        if (typeof handle !== 'string') return null;
        handles.set(handle, { sl, told: [] });
        return handle;
      };
      const issue = async (handle: string): Promise<void> => {
        const { client } = await server;
        issued += 1;
        const { status } = (await callTool(client, 'execute_order', { handle })).content;
        if (typeof status === 'string') handles.get(handle)?.told.push(status);
        else await pause(20);
      };
      const agent = async (): Promise<void> => {
        while (issued < calls) {
          const handle = await preview();
          if (handle === null) {
            await pause(50);
            continue;
          }
          // It issues the call again before it has an answer, and after it has one.
          sending += 1;
          await Promise.all([issue(handle), issue(handle)]);
          sending -= 1;
          for (let call = 2; call < callsPerHandle; call++) await issue(handle);
        }
      };
      const working = Promise.all(Array.from({ length: agents }, agent));
      for (let kill = 1; kill <= kills; kill++) {
        while (issued < (calls * kill) / (kills + 1) || sending === 0) await pause(1);
        // Some answers get lost between the gateway and the broker, too.
        if (draw(3) === 0) await broker.interruptNextSend(lost[draw(lost.length)] ?? 'close-after');
        await pause(draw(15));
        const what = kill % 3;
        if (what !== 0) await gateway.kill();
        if (what !== 1) {
          const killed = await server;
          server = killed.kill().then(() => McpProgram.start(scratch, env, kill % 2 === 0 ? 'auto' : 'legacy'));
          await server;
        }
        if (what !== 0) await gateway.start();
      }
      await working;
      for (const [handle, { told }] of handles) {
        // What the broker did is known when its history shows it.
        for (; told.length === 0 || told.at(-1) === 'unknown'; await pause(100)) await issue(handle);
      }

      const orders = await broker.look((terminal) => terminal.historyOrdersGet({ from: 0, to: 4_000_000_000 }));
      const count = new Map<string, number>();
      for (const { sl, magic } of orders) {
        if (magic === 777) count.set(sl.toFixed(5), (count.get(sl.toFixed(5)) ?? 0) + 1);
      }
      const last = new Map<string, number>();
      const wrong = [...handles].filter(([, { sl, told }]) => {
        const status = told.at(-1) ?? '';
        last.set(status, (last.get(status) ?? 0) + 1);
        // What was told once with certainty is never told otherwise.
        const isTold = told.filter((one) => one === 'done' || one === 'rejected').every((one) => one === status);
        return !isTold || (count.get(sl) ?? 0) !== (status === 'done' ? 1 : 0);
      });
      expect(wrong).toEqual([]);
      expect([...count.values()].filter((some) => some > 1)).toEqual([]);
      expect(count.size).toBe(last.get('done'));
      expect(last.get('done')).toBeGreaterThan(handles.size / 2);
      const ends = [...last].map(([status, some]) => `${some} ${status}`).join(', ');
      process.stdout.write(`${issued} calls, ${kills} kills, ${handles.size} handles: ${ends}; 0 doubled\n`);
    },
    calls * 1_000 + 300_000,
  );
});
