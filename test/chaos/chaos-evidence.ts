import { spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';
import type { TradeRequest } from './chaos-client';
import type { ChaosAnswer } from './chaos-gateway';

/** The broker's own lists, read without the gateway. */
export interface BrokerLists {
  readonly deals: readonly TradeDeal[];
  readonly orders: readonly TradeOrder[];
  readonly positions: readonly TradePosition[];
}

/** Files of what clients were answered and what the broker lists, for a checker that shares no code with the product. */
export class ChaosEvidence {
  constructor(private readonly folder: string) {}

  /** @param answer null when there was none */
  answered(request: TradeRequest, answer: ChaosAnswer | null): void {
    const line = {
      ...{ key: request.key, kind: request.kind, method: request.method, path: request.path },
      ...{ status: answer?.status ?? null, replayed: answer?.replayed ?? false },
      body: answer === null ? null : (JSON.parse(answer.text) as unknown),
    };
    appendFileSync(this.answers, `${JSON.stringify(line)}\n`);
  }

  /** Runs the checker. @returns its exit code, its figures and the problems it lists */
  check(broker: BrokerLists, auditFile: string): { readonly status: number | null; stdout: string; stderr: string } {
    const lists = join(this.folder, 'broker.json');
    writeFileSync(lists, JSON.stringify(broker));
    const checker = join(__dirname, 'check_evidence.py');
    return spawnSync('python3', [checker, this.answers, lists, auditFile], { encoding: 'utf8' });
  }

  private get answers(): string {
    return join(this.folder, 'answers.jsonl');
  }
}
