import { VirtualClock } from '@libs/clock';
import { pino } from 'pino';
import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig } from '../testing/fleet-rig';
import { Portfolio, watchPortfolios } from './portfolio';

class BrokenClock extends VirtualClock {
  isBroken = false;

  override nowMs(): number {
    if (this.isBroken) throw new Error('no time');
    return super.nowMs();
  }
}

describe('the watch over portfolios', () => {
  it('continues for the others when one of them cannot be checked, and logs it', async () => {
    const gateway = await ContractGateway.start();
    const rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'] } });
    const { portfolio, clock, store } = rig;
    const brokenClock = new BrokenClock();
    const spec = { ...portfolio.spec, name: 'broken' };
    const broken = new Portfolio(spec, portfolio.children, store, brokenClock, rig.logs.of('broken', 'portfolio'));
    brokenClock.isBroken = true;
    const lines: string[] = [];
    const logger = pino({}, { write: (line: string) => void lines.push(line) });
    const timer = watchPortfolios(() => [broken, portfolio], clock, logger);
    await clock.advance(1_000);
    expect(portfolio.record.peakEquity).toBe('50000');
    await clock.advance(1_000);
    expect(
      lines.filter((line) => line.includes('portfolio broken could not be checked against its limits')),
    ).toHaveLength(2);
    timer.cancel();
    await rig.stop();
    await gateway.stop();
  });
});
