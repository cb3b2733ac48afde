import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repository } from '../e2e/programs/started-program';
import type { Scratch } from '../e2e/programs/scratch';
import { mismatches } from './broker-match';
import { ChaosBroker } from './chaos-broker';
import { ask, ChaosClient, ChaosLedger, type TradeRequest } from './chaos-client';
import { ChaosEvidence, type BrokerLists } from './chaos-evidence';
import type { Fault } from './chaos-faults';
import { ChaosGateway, pause, type ChaosAnswer } from './chaos-gateway';

const clients = 8;
/** How many answers are asked for again at the end. */
const repeats = 200;
const interruptions = ['close-before', 'close-after', 'no-answer'] as const;
const day = 86_400;

/** A request that GET /reconcile lists as unresolved. */
interface Row {
  readonly sends?: readonly { readonly undecidable: boolean }[];
}

/** What a run came to. Each list is empty when nothing was lost, doubled or misreported. */
export interface ChaosResult {
  readonly mismatches: readonly string[];
  /** `GET /reconcile`: requests whose outcome it could still find out, and what differs from the broker. */
  readonly unresolved: readonly Row[];
  readonly differences: readonly unknown[];
  /** Requests that open, close or place something, and whose outcome stays unknown. */
  readonly undecidable: readonly TradeRequest[];
  readonly audit: { readonly status: number | null; readonly stdout: string; readonly stderr: string };
  readonly summary: string;
  /** What the independent checker says of the same; it takes python3. */
  check(): ReturnType<ChaosEvidence['check']>;
}

/** Eight clients that trade through one gateway on one broker, while faults strike the gateway and its link. */
export class ChaosRun {
  private readonly ledger: ChaosLedger;
  private strikes = 0;

  private constructor(
    scratch: Scratch,
    private readonly broker: ChaosBroker,
    private readonly gateway: ChaosGateway,
  ) {
    this.ledger = new ChaosLedger(new ChaosEvidence(scratch.folder()));
  }

  static async start(scratch: Scratch, options: ConstructorParameters<typeof ChaosGateway>[2] = {}): Promise<ChaosRun> {
    const broker = await ChaosBroker.start(scratch);
    const gateway = new ChaosGateway(scratch, broker.settings, options);
    await gateway.start();
    return new ChaosRun(scratch, broker, gateway);
  }

  /** Lets the clients trade while the faults strike in turn, so many in all. Then asks until each outcome is known. */
  async trade(faults: readonly Fault[], strikes: number): Promise<void> {
    let over = false;
    const bots = Array.from({ length: clients }, (_, index) =>
      new ChaosClient(`bot${index}`, this.gateway, this.ledger, () => over).run(),
    );
    for (let strike = 0; strike < strikes; strike++) {
      if (strike % 3 === 0)
        await this.broker.interruptNextSend(interruptions[(strike / 3) % interruptions.length] ?? 'no-answer');
      await pause(20 + Math.random() * 500);
      await faults[strike % faults.length]?.(this.gateway);
    }
    this.strikes += strikes;
    await pause(500);
    over = true;
    await Promise.all(bots);
    while (this.ledger.unknown.size > 0) {
      for (const request of [...this.ledger.unknown.values()]) await ask(this.gateway, this.ledger, request);
      await pause(1_000);
    }
    const settled = [...this.ledger.settled];
    for (const request of settled.slice(-repeats)) await ask(this.gateway, this.ledger, request);
    this.ledger.settled.length = settled.length;
  }

  /** Compares what the clients were answered with the broker's lists, `/reconcile` and the audit log. */
  async judge(): Promise<ChaosResult> {
    const now = Math.floor(Date.now() / 1_000);
    const window = { from: now - day, to: now + 2 * day };
    const lists: BrokerLists = await this.broker.look(async (terminal) => ({
      deals: await terminal.historyDealsGet(window),
      orders: [...(await terminal.ordersGet()), ...(await terminal.historyOrdersGet(window))],
      positions: await terminal.positionsGet(),
    }));
    const { text } = await this.reconciliation();
    const { unresolved = [], differences = [text] } = JSON.parse(text) as Record<string, Row[]>;
    await this.gateway.stop();
    const verifier = join(repository, 'scripts/audit-verify.mjs');
    const audit = spawnSync(process.execPath, [verifier, this.gateway.auditFile], { encoding: 'utf8' });
    return {
      mismatches: mismatches(this.ledger.settled, lists),
      unresolved: unresolved.filter(({ sends = [] }) => !sends.every(({ undecidable }) => undecidable)),
      differences,
      // Outcomes of opens, closes and placements are found out; that of a change cannot be once its target is gone.
      undecidable: this.ledger.undecidable.filter(({ kind }) => kind !== 'levels' && kind !== 'cancel'),
      audit,
      summary: `${this.figures(lists.deals.length)}audit: ${audit.stdout.trim()}\n`,
      check: () => this.ledger.evidence.check(lists, this.gateway.auditFile),
    };
  }

  /** The last fault may have taken the session away for a moment. */
  private async reconciliation(): Promise<ChaosAnswer> {
    for (;;) {
      const answer = await this.gateway.call('GET', '/reconcile');
      if (answer !== null && answer.status !== 503) return answer;
      await pause(100);
    }
  }

  private figures(deals: number): string {
    const { settled, retries, replays, unknowns, undecidable } = this.ledger;
    const count = (status: number): number => settled.filter((trade) => trade.status === status).length;
    const others = settled.filter(({ status }) => status !== 200 && status !== 422);
    return [
      `faults ${this.strikes}, requests ${settled.length}: ${count(200)} done, ${count(422)} definitely not done,` +
        ` ${others.length} refused otherwise`,
      `retries ${retries}, replays ${replays}, unknown at first ${unknowns}, undecidable ${undecidable.length}, deals at the broker ${deals}`,
      '',
    ].join('\n');
  }
}

/** What a sound run comes to. */
export const sound = {
  ...{ mismatches: [], unresolved: [], differences: [], undecidable: [] },
  audit: { status: 0, stderr: '' },
};
