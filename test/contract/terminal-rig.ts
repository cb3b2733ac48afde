import {
  OrderFilling,
  OrderType,
  Retcode,
  type OrderSendResult,
  type SendOutcome,
  type TerminalClient,
  TerminalUnavailableError,
  TradeAction,
  type TradeRequest,
  tradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { CleanUp } from './clean-up';
import type { Subject } from './subjects';

export const eurusd = { symbol: 'EURUSD', volume: 0.1, type_filling: OrderFilling.FOK, deviation: 100 };
export const forever = { from: 0, to: 4_000_000_000 };

type Wanted = Partial<TradeRequest> & Pick<TradeRequest, 'action'>;

/** The terminal of a contract, and what its cases do with it. */
export class TerminalRig {
  readonly cleanUp = new CleanUp();
  /** Number of sends so far; the last one was of `intent-<sent>`. */
  sent = 0;
  private opened: Subject | null = null;

  /** Opens the subject and connects its terminal. */
  async open(open: () => Promise<Subject>): Promise<void> {
    this.opened = this.cleanUp.after(await open(), (subject) => subject.stop());
    await this.terminal.connect();
  }

  get subject(): Subject {
    if (!this.opened) throw new Error('the subject is not open');
    return this.opened;
  }

  get terminal(): TerminalClient {
    return this.subject.terminal;
  }

  send(request: Wanted): Promise<SendOutcome> {
    return this.terminal.orderSend(sealRequest(`intent-${++this.sent}`, tradeRequest(request)));
  }

  /** Sends what has to succeed. @returns the answer of the terminal */
  async done(request: Wanted): Promise<OrderSendResult> {
    const outcome = await this.send(request);
    if (outcome.kind !== 'answered') throw new Error(`the send was ${outcome.kind}: ${outcome.lastError.message}`);
    const { result } = outcome;
    if (result.retcode === Retcode.DONE || result.retcode === Retcode.PLACED) return result;
    throw new Error(`the send was answered with ${result.retcode} ${result.comment}`);
  }

  async buy(request: Partial<TradeRequest> = {}): Promise<OrderSendResult> {
    const quote = await this.terminal.symbolInfoTick('EURUSD');
    return this.done({ action: TradeAction.DEAL, ...eurusd, type: OrderType.BUY, price: quote?.ask ?? 0, ...request });
  }
}

/** The failure that a call has to end with. */
export async function failureOf(call: Promise<unknown>): Promise<TerminalUnavailableError> {
  const failure = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(failure instanceof TerminalUnavailableError)) {
    throw new Error(`not a failure of the terminal: ${String(failure)}`);
  }
  return failure;
}

/** The names of a record's fields; their order is that of the package, not of the wire. */
export function fieldsOf(record: object | null | undefined): string[] {
  return Object.keys(record ?? {}).sort();
}

export function round(price: number): number {
  return Math.round(price * 100_000) / 100_000;
}
