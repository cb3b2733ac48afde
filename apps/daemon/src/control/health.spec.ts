import { pino } from 'pino';
import { MetricsRegistry } from '@libs/metrics';
import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig } from '../testing/fleet-rig';
import { registerDaemonMetrics } from './metrics/daemon-metrics';
import { healthOf, listOf, statusOf } from './snapshots';

interface Health {
  readonly status: string;
  readonly condition: string;
  readonly problems: readonly string[];
  readonly perStrategy: readonly { readonly restarts: number; readonly lastFailure: object | null }[];
}

describe('the health of the daemon', () => {
  let gateway: ContractGateway;
  let rig: FleetRig;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
    rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'] } });
    await rig.look();
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });
  const health = (): Health => healthOf(rig.deployed, true) as Health;

  /** Another fleet on the gateway, with its log, and what lets it look a few times. */
  async function watched() {
    const lines: string[] = [];
    const logger = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
    const logged = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'] } }, undefined, logger);
    logged.gateways.watchAll();
    const passes = async (): Promise<void> => {
      for (let step = 0; step < 4; step++) {
        await logged.look();
        await logged.clock.advance(1_000);
      }
    };
    return { lines, logged, passes };
  }

  it('is ok while nothing is wrong', () => {
    expect(health()).toMatchObject({ status: 'ok', condition: 'ok', problems: [] });
  });

  it('keeps status ok while a strategy is halted, and reports it in condition and problems', async () => {
    await rig.child('a').account.halt('persistent', 'drawdown of 20.00 % reached maxDrawdownPct 20');
    expect(health()).toMatchObject({
      status: 'ok',
      condition: 'degraded',
      problems: ['Strategy book/a is halted: drawdown of 20.00 % reached maxDrawdownPct 20.'],
    });
  });

  it('names units that no running host may take, and those that a draining host cannot give away', () => {
    const units = {
      ...{ host: 'one', problem: null, labels: ['near'], isDraining: true, counts: { taken: 1, lost: 0, given: 0 } },
      ...{ leases: [rig.lease], keptExits: 2 },
      stuck: [{ unit: 'book', obstacle: 'no other host may take it' }],
      unplaced: [{ unit: 'trend', problem: 'no running host has the label fast' }],
    };
    const deployed = { ...rig.deployed, units };
    expect(healthOf(deployed, true)).toMatchObject({
      condition: 'degraded',
      problems: [
        'book cannot be moved from this host: no other host may take it.',
        'trend runs on no host: no running host has the label fast.',
      ],
      fleet: { isDraining: true, labels: ['near'], unplaced: units.unplaced },
    });
    const registry = new MetricsRegistry();
    registerDaemonMetrics(deployed, registry);
    return expect(registry.metrics()).resolves.toMatch(/^daemon_units_unplaced 1$[^]*^daemon_exits_kept 2$/m);
  });

  it('names a position that the account lacks although no deal closed it, until a deal did', async () => {
    const { book } = rig.child('a');
    const open = { deals: [5], volumeIn: '0.1', volumeOut: '0', working: false, closed: false };
    const from = { strategy: book.spec.name, broker: 'demo', stream: 'eur', symbol: 'EURUSD', intentId: null };
    book.apply({ tickets: [{ ...from, ...open, ticket: 5 }] });
    await rig.look();
    const lacks = 'on gateway demo, position 5 is not shown; no deal has closed it';
    expect(health().problems).toEqual([`Strategy book/a: ${lacks}. Entries stop.`]);
    book.apply({ tickets: [{ ...from, ...open, ticket: 5, volumeOut: '0.1', closed: true }] });
    expect(health().problems).toEqual([]);
  });

  it('names a gateway whose account is not explained, and what differs of its own positions', async () => {
    const message = 'position 5 is not shown; no deal has closed it';
    gateway.unexplained = [{ kind: 'position_missing', ticket: 5, symbol: 'EURUSD', message }];
    const level = { kind: 'level_mismatch', symbol: 'EURUSD', intent_id: null, field: 'sl', expected: 1, actual: 0 };
    const since = '2024-01-01T00:00:00Z';
    const mine = { ...level, ticket: 6, message: 'sl of position 6 is 0, last set to 1', since };
    gateway.differences = [mine, { ...mine, ticket: 7, message: 'sl of position 7 is 0, last set to 1' }];
    const { book } = rig.child('a');
    const open = { deals: [6], volumeIn: '0.1', volumeOut: '0', working: false, closed: false };
    const from = { strategy: book.spec.name, broker: 'demo', stream: 'eur', symbol: 'EURUSD', intentId: null };
    book.apply({ tickets: [{ ...from, ...open, ticket: 6 }] });
    await rig.look();
    const { problems } = health();
    expect(problems).toContain(`Gateway demo is synchronizing: account_not_explained: ${message}. Entries stop.`);
    expect(problems).toContain('Strategy book/a: on gateway demo, sl of position 6 is 0, last set to 1.');
    expect(problems.join()).not.toContain('position 7');
    const row = { state: 'synchronizing', reason: `account_not_explained: ${message}`, tickets: [5] };
    expect(health()).toMatchObject({ gateways: [{ ...row, differences: [{ ticket: 6 }, { ticket: 7 }] }] });
    expect(statusOf(rig.child('a'))).toMatchObject({
      accounts: [{ gateway: 'demo', ...row, tickets: [5, 6], differences: [mine] }],
    });
  });

  it('logs once when entries begin to wait for an account, with the reason, and when they no longer do', async () => {
    const { lines, logged, passes } = await watched();
    gateway.unexplained = [
      { kind: 'balance_without_deals', ticket: null, symbol: null, message: 'the balance changed' },
    ];
    await passes();
    gateway.unexplained = [];
    await passes();
    logged.gateways.stop();
    await logged.stop();
    expect(
      lines.map((line) => JSON.parse(line) as object).filter((line) => JSON.stringify(line).includes('wait')),
    ).toEqual([
      {
        ...{ level: 40, gateway: 'demo', msg: 'entries wait for the account' },
        problem: 'account_not_explained: the balance changed',
      },
      { level: 30, gateway: 'demo', msg: 'entries no longer wait for the account' },
    ]);
  });

  it('logs once that a gateway does not answer, and once that it does again', async () => {
    const { lines, logged, passes } = await watched();
    await passes();
    lines.splice(0);
    gateway.always = { status: 200, body: {} };
    await passes();
    gateway.always = null;
    await passes();
    logged.gateways.stop();
    await logged.stop();
    const said = lines.map((line) => JSON.parse(line) as { level: number; gateway: string; msg: string });
    expect(said.filter(({ msg }) => msg.includes('answer')).map(({ level, msg }) => [level, msg])).toEqual([
      [40, 'the gateway does not answer'],
      [30, 'the gateway answers again'],
    ]);
  });

  it('names a gateway without a session with its terminal', async () => {
    gateway.session = 'cooldown';
    await rig.look();
    expect(health().problems).toEqual(['Gateway demo has no session with its terminal (cooldown). Entries stop.']);
  });

  it('names a gateway that does not answer', async () => {
    gateway.always = { status: 503, body: { ok: false, error: 'no terminal', error_type: 'terminal_unavailable' } };
    const { session } = rig.gateways.get('demo');
    session.failed(new Error('no terminal'));
    session.reachable = false;
    expect(health()).toMatchObject({
      ...{ status: 'ok', condition: 'degraded' },
      problems: ['Gateway demo does not answer: no terminal.'],
    });
  });

  it('names a symbol that the broker has removed, and does not take it for a quiet market', async () => {
    const { hub, session } = rig.gateways.get('demo');
    const stream = { alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };
    const listener = (): void => undefined;
    await hub.subscribe(stream, 0, listener);
    gateway.removed.add('EURUSD');
    await hub.refresh('EURUSD');
    while (hub.lostSymbols.length === 0) {
      await rig.clock.advance(500);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    session.succeeded();
    const problems = [expect.stringMatching(/^Gateway demo has no prices of EURUSD: /) as string];
    expect(health()).toMatchObject({ condition: 'degraded', problems });
    const lost = expect.stringMatching(/^no prices of EURUSD from demo: /) as string;
    expect(statusOf(rig.child('a'))).toMatchObject({ problem: lost });
    const registry = new MetricsRegistry();
    registerDaemonMetrics(rig.deployed, registry);
    const text = await registry.metrics();
    expect(text).toContain('daemon_gateway_streaming{gateway="demo"} 0');
    expect(text).toContain('daemon_strategy_problem{strategy="book/a"} 1');
    hub.unsubscribe(stream, listener);
  });

  it('names a gateway with a read-only key before anything is traded', async () => {
    gateway.apiKey = 'read_only';
    const { session } = rig.gateways.get('demo');
    await expect(session.verify()).rejects.toThrow('the key in K is read-only and cannot trade');
    const problems = ['Gateway demo cannot be traded: the key in K is read-only and cannot trade.'];
    expect(health()).toMatchObject({ status: 'ok', condition: 'degraded', problems });
    gateway.apiKey = 'full';
    await rig.look();
    expect(health()).toMatchObject({ condition: 'ok', problems: [] });
  });

  it('reports a strategy that fails repeatedly, even if it is running at the moment', () => {
    const { restarts } = rig.child('a');
    for (let failure = 0; failure < 3; failure++) {
      restarts.begins();
      restarts.runs();
      restarts.failed('no answer within 1000 ms: the thread was ended');
    }
    restarts.begins();
    restarts.runs();
    const at = new Date(rig.clock.nowMs()).toISOString();
    const lastFailure = { at, reason: 'no answer within 1000 ms: the thread was ended' };
    expect(health()).toMatchObject({
      condition: 'degraded',
      problems: [
        `Strategy book/a is in a crash loop: 3 failures without a minute of normal operation in between, last at ${at}: ${lastFailure.reason}.`,
      ],
      perStrategy: [{ restarts: 3, lastFailure }],
    });
    expect(statusOf(rig.child('a'))).toMatchObject({ restarts: 3, lastFailure, uptimeMs: 0 });
  });

  it('counts uptime of a strategy from its last start, of a portfolio from its deployment', async () => {
    await rig.clock.advance(80_000);
    const { restarts } = rig.child('a');
    expect(listOf(rig.deployed)).toMatchObject([
      { name: 'book', uptimeMs: 80_000 },
      { name: 'book/a', uptimeMs: 0 },
    ]);
    expect(statusOf(rig.child('a'))).toMatchObject({ startedAt: null, uptimeMs: 0 });
    restarts.runs();
    await rig.clock.advance(5_000);
    expect(listOf(rig.deployed)).toMatchObject([{ uptimeMs: 85_000 }, { uptimeMs: 5_000 }]);
    const startedAt = new Date(rig.clock.nowMs() - 5_000).toISOString();
    expect(statusOf(rig.child('a'))).toMatchObject({ startedAt, uptimeMs: 5_000 });
  });
});
