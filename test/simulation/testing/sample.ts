import { TradeAction, tradeRequest, type TradeRequest } from '@libs/terminal-client';
import type { Ask, HttpAnswer } from '../asks';
import { isEntry, type SendRecord } from '../sends';

/** A market order under the key k1, in transit; what a test is about is changed. */
export function send(
  changes: Partial<Omit<SendRecord, 'request'>> & { request?: Partial<TradeRequest> } = {},
): SendRecord {
  const { request: marks, ...rest } = changes;
  const request = tradeRequest({
    ...{ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1, magic: 7, comment: 'a' },
    ...marks,
  });
  return {
    ...{ number: 1, run: 1, intentId: 'id/0', atMs: 100_000, marker: 'open 7 a', fate: 'in transit' },
    ...{
      retcode: null,
      replaced: null,
      isRefused: false,
      isForgotten: false,
      login: null,
      standing: null,
      executedAtMs: null,
      answeredAtMs: null,
    },
    ...{ addedLots: isEntry(request) ? request.volume : 0, request },
    ...rest,
  };
}

/** A change of levels of position 5. */
export function change(changes: Parameters<typeof send>[0] = {}): SendRecord {
  const { request, ...rest } = changes;
  return send({ marker: 'change 5 1', ...rest, request: { action: TradeAction.SLTP, position: 5, ...request } });
}

const marketOrder = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7, comment: 'a' };

/** What a client asks for with {@link send}. */
export function ask(changes: Partial<Ask> = {}): Ask {
  return {
    ...{
      key: 'k1',
      kind: 'open',
      client: 'bot',
      ticket: 0,
      isStray: false,
      fence: null,
      lastWord: 'open',
      beingHandled: 0,
    },
    ...{ isForgotten: false, order: null, doneMarker: null, success: null },
    variants: [{ request: { method: 'POST', url: '/order', body: marketOrder }, marker: 'open 7 a' }],
    ...changes,
  };
}

export function answer(status: number, body: object): HttpAnswer {
  return { status, body: { ...body }, text: JSON.stringify(body), headers: {}, run: 1 };
}
