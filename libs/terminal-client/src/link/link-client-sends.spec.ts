import { sealRequest } from '../sealing';
import { tradeRequest } from '../trade-request';
import { failureOf, LinkRig, until } from './testing/link-rig';

const result = {
  ...{ retcode: 10_009, deal: 5, order: 6, volume: 0.1, price: 1.1, bid: 1.1, ask: 1.1002, comment: 'Done' },
  ...{ request_id: 1, retcode_external: 0 },
};
const buy = sealRequest('intent-1', tradeRequest({ action: 1, symbol: 'EURUSD', volume: 0.1 }));

let rig: LinkRig;
beforeEach(async () => {
  rig = await LinkRig.listen();
});
afterEach(() => rig.server.close());

describe('a send', () => {
  it('returns the result of the terminal', async () => {
    const peer = await rig.connected();
    const sending = rig.client.orderSend(buy);
    const request = await peer.answer({ kind: 'answered', result });
    expect(request).toMatchObject({
      method: 'orderSend',
      params: ['intent-1', { symbol: 'EURUSD', volume: 0.1 }, 2_000],
    });
    expect(await sending).toEqual({ kind: 'answered', result });
  });

  it('is refused if the link is down before the write', async () => {
    expect(await rig.client.orderSend(buy)).toMatchObject({ kind: 'refused', lastError: { code: -10_004 } });
    const peer = await rig.connected();
    peer.socket.destroy();
    await until(() => rig.links.length === 2);
    expect(await rig.client.orderSend(buy)).toMatchObject({ kind: 'refused' });
  });

  it('is unknown if the link breaks after the write', async () => {
    const peer = await rig.connected();
    const sending = rig.client.orderSend(buy);
    await peer.next();
    peer.socket.destroy();
    expect(await sending).toMatchObject({ kind: 'unknown', lastError: { code: -10_004 } });
  });

  it('is unknown after its deadline, and a late answer goes to the journal once', async () => {
    const peer = await rig.connected();
    const sending = rig.client.orderSend(buy);
    const request = await peer.next();
    await rig.clock.advance(2_000);
    expect(await sending).toMatchObject({ kind: 'unknown', lastError: { code: -10_005 } });
    peer.say({ id: request?.id, result: { kind: 'answered', result } });
    peer.say({ id: request?.id, result: { kind: 'answered', result } });
    const next = rig.client.accountInfo();
    await peer.answer(null);
    await next;
    expect(rig.lateAnswers).toEqual([['intent-1', 6]]);
  });

  it.each([
    ['an outcome', { result: { kind: 'refused', lastError: { code: -8, message: 'off' } } }, ['intent-1', 'off']],
    ['an error', { error: { code: -1, message: 'late', data: { kind: 'refused' } } }, ['intent-1', 'late']],
    ['no proof', { error: { code: -10_002, message: 'IPC recv failed' } }, null],
    ['an unknown outcome', { result: { kind: 'unknown', lastError: { code: -1, message: 'none' } } }, null],
  ])('a late refusal that is %s goes to the journal if it is proven', async (_what, answer, told) => {
    const peer = await rig.connected();
    const sending = rig.client.orderSend(buy);
    const request = await peer.next();
    await rig.clock.advance(2_000);
    expect((await sending).kind).toBe('unknown');
    peer.say({ id: Number(request?.id) + 1_000, ...answer });
    peer.say({ id: request?.id, ...answer });
    const next = rig.client.accountInfo();
    await peer.answer(null);
    await next;
    expect(rig.lateAnswers).toEqual(told === null ? [] : [told]);
  });

  it('ignores late refusals on another connection', async () => {
    const peer = await rig.connected();
    // Call numbers restart with each connection; the send has a number that the next connection does not reach.
    for (let call = 0; call < 5; call++) {
      const read = rig.client.accountInfo();
      await peer.answer(null);
      await read;
    }
    const sending = rig.client.orderSend(buy);
    const request = await peer.next();
    await rig.clock.advance(2_000);
    await sending;
    peer.socket.destroy();
    await until(() => rig.links.includes('down'));
    const again = await rig.connected();
    again.say({ id: request?.id, result: { kind: 'refused', lastError: { code: -8, message: 'off' } } });
    const next = rig.client.accountInfo();
    await again.answer(null);
    await next;
    expect(rig.lateAnswers).toEqual([]);
  });

  it.each([
    ['an error -2', { error: { code: -2, message: 'Invalid "comment" argument' } }, 'refused'],
    ['a busy far side', { error: { code: -1, message: 'full', data: { kind: 'busy' } } }, 'refused'],
    [
      'a deadline that passed in the queue',
      { error: { code: -1, message: 'late', data: { kind: 'refused' } } },
      'refused',
    ],
    ['a broken pipe', { error: { code: -10_002, message: 'IPC recv failed' } }, 'unknown'],
    ['an unexpected error', { error: { code: -1, message: 'bug', data: { kind: 'failed' } } }, 'unknown'],
    ['an outcome of its own', { result: { kind: 'unknown', lastError: { code: -1, message: 'none' } } }, 'unknown'],
    ['a refusal of its own', { result: { kind: 'refused', lastError: { code: -2, message: 'no' } } }, 'refused'],
    ['nonsense', { result: { kind: 'answered', result: { retcode: '10009' } } }, 'unknown'],
    ['nothing', { result: null }, 'unknown'],
  ])('that meets %s is classified by what is proven', async (_what, answer, kind) => {
    const peer = await rig.connected();
    const sending = rig.client.orderSend(buy);
    const request = await peer.next();
    peer.say({ id: request?.id, ...answer });
    expect((await sending).kind).toBe(kind);
  });

  it('never waits behind reads, and is never written twice', async () => {
    const peer = await rig.connected();
    const reads = Array.from({ length: 300 }, () => failureOf(rig.client.accountInfo()));
    const sending = rig.client.orderSend(buy);
    const seen: string[] = [];
    while (!seen.includes('orderSend')) seen.push((await peer.next())?.method ?? 'gone');
    expect(seen.length).toBeLessThanOrEqual(17);
    peer.socket.destroy();
    expect((await sending).kind).toBe('unknown');
    const failures = await Promise.all(reads);
    expect(failures.filter((failure) => failure === 'busy -1')).toHaveLength(300 - 16 - 256);
    expect(failures.filter((failure) => failure === 'disconnected -10004')).toHaveLength(16 + 256);
  });
});
