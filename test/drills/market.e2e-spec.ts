import { readFileSync, writeFileSync } from 'node:fs';
import { Scratch } from '../e2e/programs/scratch';
import { DrillRig, flip, logOf, tellHoles } from '../e2e/daemon/drill-rig';

describe('the market of a daemon', () => {
  const scratch = new Scratch();
  let rig: DrillRig;
  afterEach(() => scratch.clear());

  /** A strategy that warms up with so many bars, and says how many it was played. */
  const warmed = (bars: number): string => {
    const onBar = `${tellHoles}\nif (!trade.warmingUp && bars > 0) { trade.log('after ' + (bars - 1)); bars = -1e9; }`;
    const path = rig.module(onBar);
    writeFileSync(path, readFileSync(path, 'utf8').replace('version: 1,', `version: 1, warmupBars: () => ${bars},`));
    return path;
  };

  it('is asked for quote by quote while there is no stream, and what the stream left out is counted', async () => {
    rig = await DrillRig.start(scratch);
    const daemon = await rig.daemon([{ name: 'probe', module: rig.module(flip) }]);
    const before = await daemon.untilHealth(({ gateways }) => gateways[0]?.streaming === true);
    expect(before.gateways[0]).toMatchObject({ tickGaps: 0, lostTicks: 0 });
    rig.proxy.fault = (_method, path) => (path === '/stream/ticks' ? 'bad-gateway' : null);
    rig.proxy.cutStreams();
    await daemon.untilHealth(({ gateways }) => gateways[0]?.streaming === false);
    const { trades } = await daemon.status('probe');
    await daemon.untilStatus('probe', (now) => now.trades > trades + 4);
    rig.proxy.fault = () => null;
    const after = await daemon.untilHealth(({ gateways }) => (gateways[0]?.tickGaps ?? 0) > 0);
    expect(after.gateways[0]).toMatchObject({ streaming: true, reachable: true });
    const { text } = await daemon.call('/metrics');
    expect(text).toMatch(/^daemon_gateway_streaming\{gateway="demo"\} 1$/m);
    expect(text).toMatch(/^daemon_gateway_tick_gaps_total\{gateway="demo"\} [1-9]/m);
  });

  it('warms a strategy up with more bars than the gateway gives at once', async () => {
    rig = await DrillRig.start(scratch);
    const daemon = await rig.daemon([{ name: 'probe', module: warmed(12_000) }]);
    await daemon.untilStatus('probe', ({ state }) => state === 'running');
    while (!(await logOf(daemon, 'probe')).includes('after 12000')) await daemon.status('probe');
    expect(await logOf(daemon, 'probe')).not.toContain('a hole before');
  });

  it('starts no strategy that is not warm, and starts it as soon as there are bars enough', async () => {
    rig = await DrillRig.start(scratch, { SIM_HISTORY_DAYS: '1' });
    const { body } = await rig.gateway.call('/fetch_data_pos?symbol=EURUSD&timeframe=M1&num_bars=10000');
    const wanted = Number(body['total']) + 60;
    const daemon = await rig.daemon([{ name: 'probe', module: warmed(wanted) }]);
    const cold = await daemon.untilStatus('probe', ({ state }) => state === 'failed');
    expect(cold.problem).toMatch(new RegExp(`^main needs ${wanted} bars to warm up; demo has \\d+ of EURUSD@M1$`));
    await daemon.untilStatus('probe', ({ state }) => state === 'running');
    while (!(await logOf(daemon, 'probe')).includes(`after ${wanted}`)) await daemon.status('probe');
  });
});
