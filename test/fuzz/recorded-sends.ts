import type { JournaledRequest, SendOutcome, TerminalClient, TradeRequest } from '@libs/terminal-client';

/** One request that reached the broker. */
export interface Send {
  readonly intentId: string;
  readonly request: TradeRequest;
  /** The broker did it. */
  isDone: boolean;
}

const doneRetcodes: readonly number[] = [10_008, 10_009, 10_010];

/** The same terminal; each send is written down. */
export function recordedSends(terminal: TerminalClient, sends: Send[]): TerminalClient {
  const orderSend = async (journaled: JournaledRequest): Promise<SendOutcome> => {
    const send: Send = { intentId: journaled.intentId, request: journaled.request, isDone: false };
    sends.push(send);
    const outcome = await terminal.orderSend(journaled);
    send.isDone = outcome.kind === 'answered' && doneRetcodes.includes(outcome.result.retcode);
    return outcome;
  };
  return new Proxy(terminal, {
    get(target, property) {
      if (property === 'orderSend') return orderSend;
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
