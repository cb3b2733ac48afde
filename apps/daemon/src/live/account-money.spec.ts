import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { Decimal } from 'decimal.js';
import { blankRecord } from '../core/records';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';
import { AccountMoney } from './account-money';

describe('the attribution of the money of an account', () => {
  let gateway: ContractGateway;
  let rig: DeskRig;
  let money: AccountMoney;
  let inFlight: Readonly<Record<string, number>> = {};
  let unreadable: string | null = null;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    rig = await DeskRig.start(gateway);
    [inFlight, unreadable] = [{}, null];
    money = new AccountMoney({
      ...{ session: rig.session, sync: rig.sync, store: rig.store, clock: new SystemClock() },
      deployed: {
        get strategies() {
          const desk = { inFlightOn: (broker: string) => rig.desk.inFlightOn(broker) + (inFlight[broker] ?? 0) };
          return [{ spec: { name: 'ema' }, book: rig.book, trading: { desk, unreadable } }];
        },
      },
      gateways: new Map([['demo', null]]),
    });
    await rig.session.verify();
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  /** The broker's balance: what was paid in, and what every deal brought. */
  const settle = (paidIn: number): void => {
    const amounts = gateway.deals.flatMap(({ profit, commission, swap, fee }) => [profit, commission, swap, fee]);
    gateway.account['balance'] = amounts
      .reduce<Decimal>((sum, amount) => sum.plus(Number(amount)), new Decimal(paidIn))
      .toNumber();
  };
  const byHand = (): number => gateway.openAtBroker(0);

  it('goes to the strategy by its deals, costs included, and leaves deposits and manual trades as the rest', async () => {
    await rig.buy();
    await rig.close(Number(gateway.positions[0]?.['ticket']));
    const ticket = byHand();
    gateway.closeAtBroker(ticket, 0, 100);
    byHand();
    settle(10_000);
    await money.look();
    expect(money.report).toMatchObject({
      ...{ login: 100001, currency: 'USD', server: 'Demo', balance: 10_110.57, unrealized: 0.5, equity: 10_111.07 },
      strategies: { realized: 11.63, unrealized: 0 },
      removed: { realized: 0 },
      unattributed: { balance: 10_098.94, unrealized: 0.5 },
      problem: null,
    });
    settle(12_500.05);
    await money.look();
    expect(money.report?.unattributed).toEqual({ balance: 12_598.99, unrealized: 0.5 });
  });

  it('takes over what deals cost once they show it, also of a position that is closed', async () => {
    await rig.buy();
    await rig.close(Number(gateway.positions[0]?.['ticket']));
    const costs = gateway.deals.map(({ commission, fee }) => ({ commission, fee }));
    const realizedNow = (): unknown => money.report?.strategies?.realized;
    settle(10_000);
    await money.look();
    const before = Number(realizedNow());
    for (const deal of gateway.deals) Object.assign(deal, { commission: Number(deal['commission']) - 1.25 });
    // The balance has moved, and no new deal explains it.
    settle(10_000);
    await money.look();
    const by = -1.25 * costs.length;
    expect(money.report).toMatchObject({
      strategies: { realized: new Decimal(before).plus(by).toNumber() },
      unattributed: { balance: 10_000 },
    });
    expect(rig.book.record.realized).toBe(String(realizedNow()));
    // Each once.
    await money.look();
    await rig.sync.recheck();
    expect(realizedNow()).toBe(new Decimal(before).plus(by).toNumber());
    expect(rig.store.strategy('ema')?.realized).toBe(String(realizedNow()));
  });

  it('takes over what deals cost that an earlier process has booked', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'costs-'));
    const earlier = await DeskRig.start(gateway, { stateDir });
    await earlier.buy();
    await earlier.close(Number(gateway.positions[0]?.['ticket']));
    const booked = Number(earlier.book.record.realized);
    await earlier.stop();
    for (const deal of gateway.deals) Object.assign(deal, { commission: Number(deal['commission']) - 1.25 });
    const later = await DeskRig.start(gateway, { stateDir });
    await later.sync.recheck();
    const realized = new Decimal(booked).minus(1.25 * gateway.deals.length).toString();
    expect(later.book.record).toMatchObject({ realized, realizedOn: { demo: realized } });
    await later.stop();
  });

  it('reads no deal again while the balance is that of the booked ones', async () => {
    await rig.buy();
    await rig.close(Number(gateway.positions[0]?.['ticket']));
    settle(10_000);
    await money.look();
    const routes: string[] = [];
    gateway.onRead = (route) => void routes.push(route);
    await money.look();
    expect(routes.filter((route) => route.startsWith('history'))).toEqual([]);
  });

  it('takes two reads of the account: what strategies see of its money is one of them', async () => {
    const routes: string[] = [];
    gateway.onRead = (route) => void routes.push(route);
    settle(10_000);
    await money.look();
    expect(routes.filter((route) => route === 'account')).toHaveLength(2);
    expect(rig.session.money).toMatchObject({ balance: 10_000 });
  });

  it('counts the results of a strategy that is no longer configured', async () => {
    await rig.store.write({
      strategy: { ...blankRecord('gone'), realized: '7.5', realizedOn: { demo: '2.5', live: '5' } },
    });
    settle(10_000);
    await money.look();
    expect(money.report).toMatchObject({ removed: { realized: 2.5 }, unattributed: { balance: 9_997.5 } });
  });

  it('attributes a result of an earlier version to the only gateway, and to none if there are several', async () => {
    const { realizedOn: _, ...earlier } = { ...blankRecord('gone'), realized: '7.5', trades: 2 };
    await rig.store.write({ strategy: earlier });
    await money.look();
    expect(money.report).toMatchObject({ removed: { realized: 7.5 } });
    const several = new AccountMoney({
      ...{ session: rig.session, sync: rig.sync, store: rig.store, clock: new SystemClock() },
      deployed: { strategies: [] },
      gateways: new Map([
        ['demo', null],
        ['live', null],
      ]),
    });
    await several.look();
    expect(several.report).toMatchObject({ balance: 10_000, unattributed: null, removed: null });
    expect(several.report?.problem).toBe('gone: its record does not hold results by gateway');
  });

  it('is unknown while a request is in flight, a deal is not booked or a state cannot be read', async () => {
    inFlight = { other: 1 };
    await money.look();
    expect(money.report?.problem).toBeNull();
    inFlight = { demo: 1 };
    await money.look();
    expect(money.report).toMatchObject({
      balance: 10_000,
      unattributed: null,
      problem: 'ema has a request in flight',
    });
    inFlight = {};
    await rig.buy();
    gateway.hidesDeals = true;
    gateway.closeAtBroker(Number(gateway.positions[0]?.['ticket']), 0, 100);
    settle(10_000);
    await money.look();
    expect(money.report).toMatchObject({ strategies: null, problem: 'ema has deals that are not booked yet' });
    gateway.hidesDeals = false;
    await money.look();
    expect(money.report).toMatchObject({ unattributed: { balance: 10_000, unrealized: 0 }, problem: null });
    unreadable = 'it is broken';
    await money.look();
    expect(money.report).toMatchObject({ unattributed: null, problem: 'ema: it is broken' });
  });

  it('is unknown while the balance changes, and while the account cannot be read', async () => {
    gateway.onRead = (route) => {
      if (route === 'get_positions') gateway.account['balance'] = Number(gateway.account['balance']) + 1;
    };
    await money.look();
    expect(money.report).toMatchObject({
      login: 100001,
      balance: null,
      problem: 'the balance changed during the read',
    });
    gateway.onRead = () => undefined;
    await money.look();
    expect(money.report).toMatchObject({ balance: 10_003 });
    gateway.always = { status: 503, body: { ok: false, error: 'gone', error_type: 'terminal_unavailable' } };
    await money.look();
    expect(money.report).toMatchObject({ login: 100001, balance: null, asOf: null, unattributed: null });
    expect(money.report?.problem).not.toBeNull();
  });
});
