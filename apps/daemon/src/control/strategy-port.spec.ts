import { LatencyBook } from '../latency/latency-book';
import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig } from '../testing/fleet-rig';
import { StrategyPort } from './strategy-port';

describe('a strategy’s own port', () => {
  it('answers 500 when it cannot answer, logs why, and goes on', async () => {
    const gateway = await ContractGateway.start();
    const rig = await FleetRig.start({ gateways: { gone: gateway }, children: { a: ['gone'] } });
    const strategy = rig.child('a');
    const told: string[] = [];
    strategy.log.follow((line) => told.push(line));
    const port = new StrategyPort(strategy, new LatencyBook(false), undefined);
    const url = `http://127.0.0.1:${await port.open()}`;
    expect((await fetch(`${url}/status`)).status).toBe(200);
    // Nobody takes a gateway away that a strategy is configured for; it stands for whatever nobody foresaw.
    rig.gateways.remove('gone');
    const answer = await fetch(`${url}/status`);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ ok: false, error_type: 'internal_error' });
    expect((await fetch(`${url}/latency`)).status).toBe(200);
    expect(told).toEqual([expect.stringContaining('its port could not answer')]);
    port.close();
    await rig.stop();
    await gateway.stop();
  });
});
