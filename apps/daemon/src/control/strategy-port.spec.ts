import { get } from 'node:http';
import { SystemClock } from '@libs/clock';
import { HttpSurface } from '@libs/http-surface';
import { LatencyBook } from '../latency/latency-book';
import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig } from '../testing/fleet-rig';
import { StrategyPort, type PortAccess } from './strategy-port';

const access = (token?: string): PortAccess => ({
  surface: new HttpSurface({ clock: new SystemClock() }),
  token,
  allowedHosts: ['desk.example'],
});

describe('a strategy’s own port', () => {
  describe('answers as the control port does', () => {
    let gateway: ContractGateway;
    let rig: FleetRig;
    let port: StrategyPort;
    let root: string;
    beforeAll(async () => {
      gateway = await ContractGateway.start();
      rig = await FleetRig.start({ gateways: { main: gateway }, children: { a: ['main'] } });
      port = new StrategyPort(rig.child('a'), new LatencyBook(false), access('secret'));
      root = `http://127.0.0.1:${await port.open()}`;
    });
    afterAll(async () => {
      port.close();
      await rig.stop();
      await gateway.stop();
    });
    const key = { authorization: 'bearer secret' };

    it.each([
      ['GET', '/status', key, 200, null],
      ['HEAD', '/status', key, 200, null],
      ['HEAD', '/health', {}, 200, null],
      ['GET', '/status', { authorization: 'Bearer SECRET' }, 401, 'authentication_error'],
      ['GET', '/status', {}, 401, 'authentication_error'],
      ['POST', '/status', key, 405, 'method_not_allowed'],
      ['GET', '/status/', key, 404, 'not_found'],
      ['GET', '/nope', {}, 404, 'not_found'],
      ['GET', '/health', { origin: 'http://evil.example' }, 403, 'forbidden'],
    ])('%s %s with %p is %p', async (method, path, headers, status, errorType) => {
      const answer = await fetch(`${root}${path}`, { method, headers });
      const id = answer.headers.get('x-request-id');
      expect([answer.status, typeof id]).toEqual([status, 'string']);
      expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
      expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD' : null);
      const text = await answer.text();
      if (errorType === null) return;
      expect(JSON.parse(text)).toMatchObject({ ok: false, error_type: errorType, request_id: id });
    });

    it('to a web page whose name is pointed at loopback: 403', async () => {
      const asked = (host: string) =>
        new Promise<number | undefined>((resolve, reject) => {
          const call = get(`${root}/health`, { headers: { host } }, (response) => {
            response.resume();
            resolve(response.statusCode);
          });
          call.on('error', reject);
        });
      expect(await asked('evil.example:6547')).toBe(403);
      expect(await asked('desk.example')).toBe(200);
      expect(await asked('localhost:1')).toBe(200);
    });
  });

  it('answers 500 after an internal error, logs the reason, and continues', async () => {
    const gateway = await ContractGateway.start();
    const rig = await FleetRig.start({ gateways: { gone: gateway }, children: { a: ['gone'] } });
    const strategy = rig.child('a');
    const told: string[] = [];
    strategy.log.follow((line) => told.push(line));
    const port = new StrategyPort(strategy, new LatencyBook(false), access());
    const url = `http://127.0.0.1:${await port.open()}`;
    expect((await fetch(`${url}/status`)).status).toBe(200);
    // A reload never removes a gateway that a strategy uses; this stands for any unexpected error.
    rig.gateways.remove('gone');
    const answer = await fetch(`${url}/status`);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ ok: false, error_type: 'internal_error' });
    expect((await fetch(`${url}/latency`)).status).toBe(200);
    expect(told).toEqual([expect.stringContaining("a request to the strategy's port failed")]);
    port.close();
    await rig.stop();
    await gateway.stop();
  });
});
