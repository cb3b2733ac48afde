import type { ChaosEvidence } from './chaos-evidence';
import { pause, type ChaosAnswer, type ChaosGateway } from './chaos-gateway';

export interface TradeRequest {
  readonly key: string;
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body: object | undefined;
  readonly kind: 'open' | 'close' | 'levels' | 'pending' | 'cancel';
}

/** A request that got its definite answer. */
export interface SettledTrade extends TradeRequest {
  readonly status: number;
  readonly answer: Readonly<Record<string, unknown>> & { readonly result?: { readonly order: number | null } };
}

/** What all clients of a run have seen. */
export class ChaosLedger {
  readonly settled: SettledTrade[] = [];
  /** Answered 502: to be asked for again under the same key. */
  readonly unknown = new Map<string, TradeRequest>();
  /** Answered 502 for good: a later request changed or closed what they were to change. */
  readonly undecidable: TradeRequest[] = [];
  retries = 0;
  replays = 0;
  unknowns = 0;

  constructor(readonly evidence: ChaosEvidence) {}
}

/**
 * A bot that trades without pause: opens, moves levels, closes, places and cancels. Whatever gets no definite answer is
 * asked for again under its own key, and under no other.
 */
export class ChaosClient {
  private requests = 0;

  constructor(
    private readonly name: string,
    private readonly gateway: ChaosGateway,
    private readonly ledger: ChaosLedger,
    private readonly isOver: () => boolean,
  ) {}

  async run(): Promise<void> {
    while (!this.isOver()) {
      await this.roundTrip();
      await this.pendingOrder();
    }
  }

  private async roundTrip(): Promise<void> {
    const type = this.requests % 2 === 0 ? 'BUY' : 'SELL';
    // A third of them with a magic and comment of their own, so that both ways of recognising an order are used. No two have the
    // same: an order that either of two lost requests may have made belongs to neither.
    const marks = this.requests % 3 === 0 ? { magic: 77, comment: `${this.name}, ${this.requests}` } : {};
    const opened = await this.trade('open', 'POST', '/order', { symbol: 'EURUSD', volume: 0.01, type, ...marks });
    const ticket = opened?.answer.result?.order;
    if (!ticket) return;
    await this.trade('levels', 'POST', '/modify_sl_tp', {
      position: ticket,
      ...(type === 'BUY' ? { sl: 0.5 } : { sl: 2 }),
    });
    await this.trade('close', 'POST', '/close_position', { position: { ticket } });
  }

  private async pendingOrder(): Promise<void> {
    const placed = await this.trade('pending', 'POST', '/order', {
      ...{ symbol: 'EURUSD', volume: 0.01, type: 'BUY_LIMIT', price: 0.9 },
    });
    const ticket = placed?.answer.result?.order;
    if (ticket) await this.trade('cancel', 'DELETE', `/orders/${ticket}`, undefined);
  }

  /** Asks until the answer is definite; null when it stays unknown for now, or the run is over before the first answer. */
  private async trade(
    kind: TradeRequest['kind'],
    method: TradeRequest['method'],
    path: string,
    body: object | undefined,
  ): Promise<SettledTrade | null> {
    const request = { key: `${this.name}-${++this.requests}`, method, path, body, kind };
    for (;;) {
      const outcome = await ask(this.gateway, this.ledger, request);
      if (outcome !== 'again') return outcome;
      await pause(25);
    }
  }
}

/** Asks once; `again` when there was no answer, or one that proves nothing. Unknown ones are left for later. */
export async function ask(
  gateway: ChaosGateway,
  ledger: ChaosLedger,
  request: TradeRequest,
): Promise<SettledTrade | null | 'again'> {
  const answer = await gateway.call(request.method, request.path, request.body, request.key);
  ledger.evidence.answered(request, answer);
  if (answer === null || answer.status === 409 || answer.status === 503) {
    ledger.retries += 1;
    return 'again';
  }
  if (answer.replayed) ledger.replays += 1;
  if (answer.status === 502) {
    if (!ledger.unknown.has(request.key)) ledger.unknowns += 1;
    ledger.unknown.set(request.key, request);
    if (isUndecidable(answer)) {
      ledger.unknown.delete(request.key);
      ledger.undecidable.push(request);
    }
    return null;
  }
  const settled = settledTrade(request, answer);
  ledger.unknown.delete(request.key);
  ledger.settled.push(settled);
  return settled;
}

function isUndecidable({ text }: ChaosAnswer): boolean {
  const { details } = JSON.parse(text) as { readonly details?: { readonly undecidable?: boolean } };
  return details?.undecidable === true;
}

function settledTrade(request: TradeRequest, { status, text }: ChaosAnswer): SettledTrade {
  return { ...request, status, answer: JSON.parse(text) as SettledTrade['answer'] };
}
