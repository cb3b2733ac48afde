import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import type { StackRecord } from '../core/stack';
import { GatewaySession } from '../gateways/gateway-session';
import { StateStore } from '../state/state-store';
import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig, owned, leave, magicOf } from '../testing/fleet-rig';
import { AccountSync } from './account-sync';

const stack: StackRecord = {
  ...{ id: 's1', strategy: 'book/a', stream: 'demo', broker: 'demo', symbol: 'EURUSD', side: 'buy', volume: 0.1 },
  ...{ spacing: 0.001, slDistance: null, tpDistance: null, anchor: 1.1, expiresMs: Number.MAX_SAFE_INTEGER },
  ...{ waiting: [2, 3], tickets: [7], over: false },
};

describe('a snapshot of the account', () => {
  let gateway: ContractGateway;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
  });
  afterEach(() => gateway.stop());

  it('is reliable for ten seconds from its begin, and not while a read fails', async () => {
    const clock = new VirtualClock();
    const expect_ = { login: null, tradeMode: null };
    const session = new GatewaySession(
      { name: 'demo', url: gateway.url, apiKeyEnv: 'K', maxClockSkewMs: null, expect: expect_ },
      'k',
    );
    const sync = new AccountSync(session, { ownerOf: () => null }, clock);
    expect(sync.problem).toBe('the account could not be read');
    // A slow gateway: what it answers is as old as the question.
    let slow = true;
    gateway.onRead = (route) => {
      if (route === 'get_positions' && slow) clock.advanceSync(8_000);
    };
    await sync.now();
    expect(sync.problem).toBeNull();
    slow = false;
    clock.advanceSync(4_000);
    expect(sync.problem).toBe('the account could not be read for 12 s');
    expect(sync.current).toBe(false);
    await sync.now();
    expect(sync.problem).toBeNull();
    gateway.always = { status: 503, body: { ok: false, error: 'down', error_type: 'terminal_unavailable' } };
    await sync.now();
    expect(sync.problem).toBe('the account could not be read');
  });

  it('does not concern a strategy that was added while it was taken', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'sync-'));
    const ticket = gateway.openAtBroker(magicOf('a'));
    await leave(stateDir, { name: 'book/a', tickets: [owned('demo', ticket)] });
    const rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'], b: ['demo'] } }, stateDir);
    const late = rig.child('b');
    const { sync } = rig.gateways.get('demo');
    sync.remove(late.account);
    gateway.closeAtBroker(ticket, 3, 5);
    // The snapshot continues with the history of the closed position.
    gateway.onRead = (route) => {
      if (route.startsWith('history')) sync.add(late.account);
    };
    await rig.look();
    expect([rig.child('a').book.record.day, late.book.record.day]).toEqual([expect.anything(), null]);
    await rig.look();
    expect(late.book.record.day).not.toBeNull();
    await rig.stop();
  });

  it('lacks a position only once its deals were read', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'sync-'));
    const ticket = gateway.openAtBroker(magicOf('a'));
    const open = (strategy: string) => ({ ...owned('demo', ticket)(strategy), deals: [7], volumeIn: '0.1' });
    await leave(stateDir, { name: 'book/a', tickets: [open] });
    const rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'] } }, stateDir);
    const { sync } = rig.gateways.get('demo');
    const { book } = rig.child('a');
    await rig.look();
    const shown: unknown[] = [];
    gateway.onRead = (route) => {
      if (route.startsWith('history')) shown.push(...sync.lacksOf(book));
    };
    gateway.hidesDeals = true;
    gateway.closeAtBroker(ticket, 3, 5);
    await rig.look();
    expect(shown).toEqual([]);
    expect(sync.lacksOf(book)).toMatchObject([{ kind: 'position_missing', ticket }]);
    await rig.stop();
  });

  it.each([
    ['nothing', []],
    ['a stack', [stack]],
  ])('reaches the others when one strategy has an error, with %s open', async (_what, stacks) => {
    const elsewhere = await ContractGateway.start();
    const gateways = { demo: gateway, gone: elsewhere };
    const stateDir = mkdtempSync(join(tmpdir(), 'sync-'));
    const store = StateStore.open(stateDir);
    await store.write({ stacks });
    await store.close();
    const rig = await FleetRig.start({ gateways, children: { a: ['demo', 'gone'], b: ['demo'] } }, stateDir);
    // Its market can no longer be asked for the time.
    rig.gateways.remove('gone');
    await rig.look();
    expect(rig.child('b').book.record.day).not.toBeNull();
    expect(rig.gateways.get('demo').sync.problem).toBeNull();
    await rig.stop();
    await elsewhere.stop();
  });

  it('is taken again after an unexpected error', async () => {
    const rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'] } });
    const { sync } = rig.gateways.get('demo');
    const { account } = rig.child('a');
    let isBroken = true;
    const breaking = new Proxy(account, {
      get: (target, member) => {
        if (member === 'book' && isBroken) throw new Error('no idea');
        return Reflect.get(target, member) as unknown;
      },
    });
    sync.add(breaking);
    const first = sync.now();
    const second = sync.now();
    await expect(first).rejects.toThrow('no idea');
    await expect(second).rejects.toThrow('no idea');
    isBroken = false;
    await sync.now();
    expect(sync.problem).toBeNull();
    await rig.stop();
  });
});
