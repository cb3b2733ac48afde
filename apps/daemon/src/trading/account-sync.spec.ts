import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { GatewaySession } from '../gateways/gateway-session';
import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig, owned, leave, magicOf } from '../testing/fleet-rig';
import { AccountSync } from './account-sync';

describe('a view of the account', () => {
  let gateway: ContractGateway;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
  });
  afterEach(() => gateway.stop());

  it('is relied on for ten seconds from when its look began, and not while a look fails', async () => {
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

  it('is nothing to a strategy that came while it was taken', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'sync-'));
    const ticket = gateway.openAtBroker(magicOf('a'));
    await leave(stateDir, { name: 'book/a', tickets: [owned('demo', ticket)] });
    const rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'], b: ['demo'] } }, stateDir);
    const late = rig.child('b');
    const { sync } = late.services.gateway('demo');
    sync.remove(late.account);
    gateway.closeAtBroker(ticket, 3, 5);
    // The look goes on with the history of what is gone.
    gateway.onRead = (route) => {
      if (route.startsWith('history')) sync.add(late.account);
    };
    await rig.look();
    expect([rig.child('a').book.record.day, late.book.record.day]).toEqual([expect.anything(), null]);
    await rig.look();
    expect(late.book.record.day).not.toBeNull();
    await rig.stop();
  });

  it('is not taken from the others by a strategy with which something is wrong', async () => {
    const elsewhere = await ContractGateway.start();
    const gateways = { demo: gateway, gone: elsewhere };
    const rig = await FleetRig.start({ gateways, children: { a: ['demo', 'gone'], b: ['demo'] } });
    // Its market cannot be asked for the time any more.
    rig.gateways.remove('gone');
    await rig.look();
    expect(rig.child('b').book.record.day).not.toBeNull();
    expect(rig.gateways.get('demo').sync.problem).toBeNull();
    await rig.stop();
    await elsewhere.stop();
  });

  it('is taken again after a look that failed in a way nobody foresaw', async () => {
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
