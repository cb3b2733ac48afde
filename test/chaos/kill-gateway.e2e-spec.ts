import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repository } from '../e2e/programs/started-program';
import { Scratch } from '../e2e/programs/scratch';
import { mismatches } from './broker-match';
import { ChaosBroker } from './chaos-broker';
import { ask, ChaosClient, ChaosLedger } from './chaos-client';
import { ChaosGateway, pause, type ChaosAnswer } from './chaos-gateway';

const kills = Number(process.env.CHAOS_KILLS ?? 50);
const clients = 8;
const interruptions = ['close-before', 'close-after', 'no-answer'] as const;
const day = 86_400;

/** A request that GET /reconcile lists as unresolved. */
interface Row {
  readonly sends?: readonly { readonly undecidable: boolean }[];
}

/** A start, some trading and its end take about two seconds; what stays unknown, a good minute more. */
const limitMs = kills * 10_000 + 300_000;

describe('a gateway that is killed at random instants under load', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it(
    `sends nothing twice and loses nothing over ${kills} kills`,
    async () => {
      const broker = await ChaosBroker.start(scratch);
      const gateway = new ChaosGateway(scratch, broker.settings);
      await gateway.start();

      const ledger = new ChaosLedger();
      let over = false;
      const bots = Array.from({ length: clients }, (_, index) =>
        new ChaosClient(`bot${index}`, gateway, ledger, () => over).run(),
      );
      for (let kill = 0; kill < kills; kill++) {
        if (kill % 3 === 0)
          await broker.interruptNextSend(interruptions[(kill / 3) % interruptions.length] ?? 'no-answer');
        await pause(20 + Math.random() * 500);
        await gateway.kill();
        await gateway.start();
      }
      await pause(500);
      over = true;
      await Promise.all(bots);

      while (ledger.unknown.size > 0) {
        for (const request of [...ledger.unknown.values()]) await ask(gateway, ledger, request);
        await pause(1_000);
      }

      const now = Math.floor(Date.now() / 1_000);
      const window = { from: now - day, to: now + 2 * day };
      const { deals, orders } = await broker.look(async (terminal) => ({
        deals: await terminal.historyDealsGet(window),
        orders: [...(await terminal.ordersGet()), ...(await terminal.historyOrdersGet(window))],
      }));
      const reconciled = await reconciliation(gateway);
      const { unresolved = [], differences } = JSON.parse(reconciled.text) as Record<string, Row[]>;
      await gateway.stop();
      const audit = spawnSync(process.execPath, [join(repository, 'scripts/audit-verify.mjs'), gateway.auditFile], {
        encoding: 'utf8',
      });
      process.stdout.write(summary(ledger, deals.length, audit.stdout));

      expect(mismatches(ledger.settled, { deals, orders })).toEqual([]);
      expect(reconciled.status).toBe(200);
      expect(unresolved.filter(({ sends = [] }) => !sends.every(({ undecidable }) => undecidable))).toEqual([]);
      // Whatever opens, closes or places something is found out; a change of what is gone by now cannot be.
      expect(ledger.undecidable.filter(({ kind }) => kind !== 'levels' && kind !== 'cancel')).toEqual([]);
      expect(differences).toEqual([]);
      expect(audit).toMatchObject({ status: 0, stderr: '' });
    },
    limitMs,
  );
});

/** The last kill, or an interruption that it left over, may have taken the session away for a moment. */
async function reconciliation(gateway: ChaosGateway): Promise<ChaosAnswer> {
  for (;;) {
    const answer = await gateway.call('GET', '/reconcile');
    if (answer !== null && answer.status !== 503) return answer;
    await pause(100);
  }
}

function summary(ledger: ChaosLedger, deals: number, audit: string): string {
  const count = (status: number): number => ledger.settled.filter((trade) => trade.status === status).length;
  const others = ledger.settled.filter(({ status }) => status !== 200 && status !== 422);
  return [
    `kills ${kills}, requests ${ledger.settled.length}: ${count(200)} done, ${count(422)} definitely not done,` +
      ` ${others.length} refused otherwise`,
    `retries ${ledger.retries}, replays ${ledger.replays}, unknown at first ${ledger.unknowns}, undecidable ${ledger.undecidable.length}, deals at the broker ${deals}`,
    `audit: ${audit.trim()}`,
    '',
  ].join('\n');
}
