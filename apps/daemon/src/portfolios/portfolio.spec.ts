import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portfolioStatusOf } from '../control/portfolio-row';
import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig, floating, leave, magicOf, owned, type Configured, type Left } from '../testing/fleet-rig';

const day = (equity: string) => ({ date: '1970-01-01', equity });

describe('a portfolio', () => {
  let demo: ContractGateway;
  let live: ContractGateway;
  let stateDir: string;
  let rig: FleetRig | null;
  beforeEach(async () => {
    [demo, live] = [await ContractGateway.start(), await ContractGateway.start()];
    stateDir = mkdtempSync(join(tmpdir(), 'portfolio-'));
    rig = null;
  });
  afterEach(async () => {
    await rig?.stop();
    await Promise.all([demo.stop(), live.stop()]);
  });

  const start = async (children: Configured['children'], risk: Configured['risk'] = { maxDrawdownPct: 5 }) => {
    await rig?.stop();
    return (rig = await FleetRig.start({ gateways: { demo, live }, children, risk }, stateDir));
  };
  /** Ends the process that runs, and leaves something in its state. */
  const before = async (...left: readonly Left[]) => {
    await rig?.stop();
    rig = null;
    await leave(stateDir, ...left);
  };
  const both = { a: ['demo'], b: ['live'] };

  describe('after a restart', () => {
    /** One child floats 3000 in profit, and the portfolio is at its peak with it. */
    const atItsPeak = async () => {
      const ticket = floating(live, magicOf('b'), 3_000);
      await before(
        { name: 'book/b', record: { capital: 50_000, trades: 1 }, tickets: [owned('live', ticket)] },
        { name: 'book', record: { capital: 50_000, peakEquity: '53000', day: day('53000') } },
      );
    };

    it('concludes nothing from positions that were not read yet: no halt, and the same peak and day', async () => {
      await atItsPeak();
      const { portfolio } = await start(both);
      await rig?.look('demo');
      portfolio.watch();
      expect(portfolio.isEquityKnown).toBe(false);
      expect(portfolioStatusOf(portfolio)).toMatchObject({
        ...{ state: 'starting', balance: 50_000, equity: null, unrealized: null, drawdownPct: null },
        children: [
          { name: 'book/a', equity: 50_000 },
          {
            name: 'book/b',
            equity: null,
            unrealized: null,
            positions: [{ volume: 0.1, side: 'buy', unrealized: null }],
          },
        ],
      });
      expect(portfolio.record).toMatchObject({ halt: null, peakEquity: '53000', day: day('53000') });
      await rig?.look();
      portfolio.watch();
      expect(portfolioStatusOf(portfolio)).toMatchObject({ equity: 53_000, unrealized: 3_000, drawdownPct: 0 });
      expect(portfolio.record).toMatchObject({ halt: null, peakEquity: '53000', day: day('53000') });
    });

    it('that is resumed before its positions were read counts from that read', async () => {
      await atItsPeak();
      const { portfolio } = await start(both);
      await portfolio.resume();
      portfolio.watch();
      expect(portfolio.record).toMatchObject({ halt: null, peakEquity: null, day: null });
      await rig?.look();
      portfolio.watch();
      expect(portfolio.record).toMatchObject({ halt: null, peakEquity: '53000', day: day('53000') });
    });

    it('still halts for a loss that it reads, and for a stored halt', async () => {
      await atItsPeak();
      let { portfolio } = await start(both);
      Object.assign(live.positions[0] ?? {}, { profit: 0 });
      await rig?.look();
      portfolio.watch();
      expect(portfolio.record.halt?.reason).toContain('drawdown of 5.66 %');
      await portfolio.persistence.write({ strategy: portfolio.record });
      ({ portfolio } = await start(both));
      portfolio.watch();
      expect(rig?.child('a').book.record.halt?.reason).toContain('portfolio book: drawdown');
    });

    it('applies its limits without the positions on a gateway that is no longer configured', async () => {
      await before({ name: 'book/a', record: { capital: 50_000 }, tickets: [owned('gone', 5)] });
      const { portfolio } = await start(both);
      expect(portfolio.isEquityKnown).toBe(true);
    });
  });

  describe('whose children come and go while the daemon is down', () => {
    const earned = (realized: string) => ({ capital: 50_000, realized, realizedOn: { demo: realized }, trades: 2 });
    /** What a child has earned is in the portfolio's peak. */
    const ran = async (realized: string) => {
      await before({ name: 'book/a', record: earned(realized) });
      const { portfolio } = await start(both);
      await rig?.look();
      portfolio.watch();
      await portfolio.close();
    };

    it('does not count the removed profit of a child as a drawdown', async () => {
      await ran('8000');
      const { portfolio } = await start({ b: ['live'] });
      expect(portfolio.drawdownPct).toBe(0);
      portfolio.watch();
      expect(portfolio.record).toMatchObject({ halt: null, peakEquity: '50000', shares: { 'book/b': '0' } });
    });

    it('does not count the removed loss of a child as a recovery', async () => {
      await before({
        name: 'book',
        record: { capital: 50_000, peakEquity: '51000', shares: { 'book/a': '0' } },
      });
      await ran('-2000');
      const { portfolio } = await start({ b: ['live'] });
      portfolio.watch();
      expect(portfolio.drawdownPct).toBeCloseTo(300_000 / 53_000, 3);
    });

    it('counts the results of a returning child as neither profit nor loss, open positions included', async () => {
      await ran('0');
      const ticket = floating(demo, magicOf('c'), -3_000);
      await before({ name: 'book/c', record: earned('1000'), tickets: [owned('demo', ticket)] });
      const { portfolio } = await start({ ...both, c: ['demo'] });
      portfolio.watch();
      expect(portfolio.record.peakEquity).toBe('50000');
      await rig?.look();
      portfolio.watch();
      expect(portfolio.record).toMatchObject({ halt: null, peakEquity: '48000' });
      expect(portfolio.drawdownPct).toBe(0);
    });

    it('does not count the floating result of a removed child as a drawdown, at most a minute old', async () => {
      await ran('0');
      const ticket = floating(demo, magicOf('a'), 3_000);
      await before({ name: 'book/a', record: earned('0'), tickets: [owned('demo', ticket)] });
      let { portfolio } = await start(both);
      await rig?.look();
      portfolio.watch();
      Object.assign(demo.positions[0] ?? {}, { profit: 2_500 });
      await rig?.look();
      await rig?.clock.advance(60_000);
      portfolio.watch();
      // Killed: nothing is closed in order. The store still takes what was asked of it.
      ({ portfolio } = await start({ b: ['live'] }));
      expect(portfolio.record).toMatchObject({ peakEquity: '50500' });
    });

    it('does not distinguish children in a record of an earlier version', async () => {
      await before(
        { name: 'book/a', record: earned('8000') },
        { name: 'book', record: { capital: 50_000, peakEquity: '58000', day: day('58000') } },
      );
      const { portfolio } = await start(both);
      await rig?.look();
      portfolio.watch();
      expect(portfolio.record).toMatchObject({ halt: null, peakEquity: '58000', day: day('58000') });
    });
  });

  it('moves its peak when a reload removes a child, also before all of them were read', async () => {
    const ticket = floating(live, magicOf('b'), 3_000);
    await before(
      { name: 'book/a', record: { capital: 50_000, realized: '1000', trades: 1 } },
      { name: 'book/b', record: { capital: 50_000 }, tickets: [owned('live', ticket)] },
      {
        name: 'book',
        record: { capital: 50_000, peakEquity: '54000', shares: { 'book/a': '1000', 'book/b': '3000' } },
      },
    );
    const { portfolio } = await start(both);
    await rig?.arrange({ gateways: { demo, live }, children: { b: ['live'] }, risk: { maxDrawdownPct: 5 } });
    await rig?.look();
    portfolio.watch();
    expect(portfolio.record).toMatchObject({ halt: null, peakEquity: '53000', shares: { 'book/b': '3000' } });
  });

  it('keeps its drawdown when a reload removes a child with a loss since the last check of the limits', async () => {
    const ticket = floating(live, magicOf('b'), 1_000);
    await before({ name: 'book/b', record: { capital: 50_000 }, tickets: [owned('live', ticket)] });
    const { portfolio } = await start(both);
    await rig?.look();
    portfolio.watch();
    Object.assign(live.positions[0] ?? {}, { profit: -1_000 });
    await rig?.look();
    await rig?.arrange({ gateways: { demo, live }, children: { a: ['demo'] }, risk: { maxDrawdownPct: 5 } });
    expect(portfolio.record).toMatchObject({ peakEquity: '52000', shares: { 'book/a': '0' } });
    expect(portfolio.equity.toNumber()).toBe(50_000);
  });

  it('that a reload leaves without children causes no error, and is not reported as running', async () => {
    const { portfolio } = await start(both);
    await rig?.arrange({ gateways: { demo, live }, children: {} });
    expect(() => portfolio.watch()).not.toThrow();
    expect(portfolioStatusOf(portfolio)).toMatchObject({
      state: 'failed',
      problem: "none of the portfolio's children is deployed",
    });
  });
});
