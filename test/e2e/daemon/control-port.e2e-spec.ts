import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { configuration, DaemonProgram, strategyFile, type HealthBody } from './daemon-program';

interface LatencyBody {
  readonly enabled: boolean;
  readonly strategies: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;
}

describe('the control port', () => {
  /** One market for all of them: each has a daemon of its own, and a magic number. */
  const market = new Scratch();
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let folder: string;
  let config: string;
  let magic = 41_000;
  const start = (env: Record<string, string> = {}, flags: string[] = []) =>
    DaemonProgram.start(scratch, {
      config,
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key', ...env },
      flags,
    });

  beforeAll(async () => void (gateway = await GatewayProgram.startReady(market, fastMarket())));
  afterAll(() => market.clear());
  beforeEach(() => {
    folder = scratch.folder();
    magic += 1;
    const trader = strategyFile(
      folder,
      'trader',
      `if (trade.warmingUp) return;
       const [open] = trade.positions();
       trade.log('bar', { bars });
       if (open) trade.close(open); else trade.buy('main', { volume: 0.1 });`,
    );
    config = configuration(folder, gateway.url, [{ name: 'trader', module: trader, magic }]);
  });
  afterEach(() => scratch.clear());

  it('shows a trading strategy, field by field', async () => {
    const daemon = await start({ DAEMON_LATENCY_TRACKING: '1' });
    const status = await daemon.untilStatus('trader', (body) => body.trades >= 3 && body.positions.length === 1);
    expect(status).toMatchObject({ name: 'trader', kind: 'strategy', version: 1, state: 'running', magic });
    expect(status).toMatchObject({ halted: false, haltReason: null, streamBrokers: { main: 'demo' }, missedBars: 0 });
    expect(status.balance).toBeCloseTo(10_000 + status.realized, 6);
    expect(status.equity).toBeCloseTo(status.balance + status.unrealized, 6);
    expect(status.positions[0]).toMatchObject({ symbol: 'EURUSD', broker: 'demo', side: 'buy', volume: 0.1, sl: null });
    expect(status.lastTrade).toMatchObject({ symbol: 'EURUSD', volume: 0.1 });
    expect(status.persistence).toMatchObject({ failedWrites: 0, lastError: null });
    expect(status.persistence.writes).toBeGreaterThan(0);

    expect((await daemon.call('/health')).body).toMatchObject({
      ...{ status: 'ok', condition: 'ok', problems: [] },
      strategies: 1,
      perStrategy: [{ name: 'trader', state: 'running', halted: false }],
      gateways: [{ name: 'demo', reachable: true, ready: true, lastError: null }],
    });
    expect((await daemon.call('/list')).body).toMatchObject([{ name: 'trader', kind: 'strategy', state: 'running' }]);
    expect((await daemon.call('/status')).body).toHaveLength(1);
    const { body: latency } = await daemon.call<LatencyBody>('/latency');
    expect(latency.enabled).toBe(true);
    for (const stage of [
      'tick_to_strategy',
      'strategy',
      'signal_to_submission',
      'submission_to_fill',
      'tick_to_submission',
    ]) {
      const { count, p50Nanos, p95Nanos, p99Nanos, maxNanos } = latency.strategies['trader']?.[stage] ?? {};
      expect(count).toBeGreaterThan(0);
      expect([p50Nanos, p95Nanos, p99Nanos, maxNanos].every(Number.isInteger)).toBe(true);
    }
    const { body: logs } = await daemon.call<{ name: string; lines: string[] }>('/logs/trader?lines=500&level=info');
    expect(logs.name).toBe('trader');
    // The market's time of the bar, which is that of the broker's clock.
    const said = /^\S+Z INFO \[broker \d{4}-\d\d-\d\d \d\d:\d\d:00\] bar \{"bars":/;
    expect(logs.lines.some((line) => said.test(line))).toBe(true);
    const { text } = await daemon.call('/metrics');
    expect(text).toMatch(/^daemon_strategy_trades_total\{strategy="trader"\} [1-9]/m);
    expect(text).toMatch(/^daemon_gateway_up\{gateway="demo"\} 1$/m);

    await daemon.stop();
    const written = readFileSync(join(folder, 'state/logs/trader.log'), 'utf8');
    const bars = readFileSync(join(folder, 'state/logs/trader.bars'), 'utf8').matchAll(/^\["demo:EURUSD@M1",/gm);
    expect([...bars].length).toBe(written.split('\n').filter((line) => said.test(line)).length);
  });

  it('answers 404 for what is not there, in the error envelope', async () => {
    const daemon = await start();
    for (const path of [
      '/',
      '/nope',
      '/status/nobody',
      '/logs/nobody',
      '/status/a/b',
      '/equity/a/b',
      '/backtest/nobody',
    ]) {
      const { status, body } = await daemon.call(path);
      expect([path, status, body.ok, body.error_type]).toEqual([path, 404, false, 'not_found']);
    }
    expect((await daemon.call('/nope')).body.error).toBe('not found');
    expect((await daemon.call('/latency')).body).toEqual({ enabled: false, strategies: {} });
  });

  it('has no equity of a strategy before it was recorded, and no backtest that nothing names', async () => {
    const daemon = await start();
    const none = { since: null, maxDrawdown: null, readings: [] };
    expect((await daemon.call('/equity/trader')).body).toEqual({ name: 'trader', days: 30, everyMinutes: 22, ...none });
    expect((await daemon.call('/equity/trader?days=1')).body).toMatchObject({ days: 1, everyMinutes: 1 });
    for (const days of ['0', '366', 'x']) {
      const { status, body } = await daemon.call(`/equity/trader?days=${days}`);
      expect([status, body.error]).toEqual([400, expect.stringContaining('days: must be an integer, 1 to 365')]);
    }
    const unnamed = { file: null, problem: null, writtenAt: null, report: null, settings: [], isSame: null };
    expect((await daemon.call('/backtest/trader')).body).toEqual({ name: 'trader', ...unnamed });
  });

  it('has no /metrics with DAEMON_METRICS_PROMETHEUS=Off', async () => {
    const daemon = await start({ DAEMON_METRICS_PROMETHEUS: 'Off' });
    const { status, body } = await daemon.call('/metrics');
    expect([status, body.error]).toEqual([404, 'not found']);
  });

  it('wants its token for everything but /health, once there is one', async () => {
    const daemon = await start({ DAEMON_CONTROL_TOKEN: 'secret' });
    for (const path of [
      '/list',
      '/status',
      '/latency',
      '/logs/trader',
      '/equity/trader',
      '/backtest/trader',
      '/metrics',
    ]) {
      expect([path, (await daemon.call(path)).status]).toEqual([path, 200]);
      expect([path, (await daemon.call(path, null)).status]).toEqual([path, 401]);
      expect([path, (await daemon.call(path, 'wrong')).status]).toEqual([path, 401]);
    }
    const stranger = await daemon.call<HealthBody>('/health', null);
    expect([stranger.status, stranger.body.status, stranger.body.gateways[0]?.account]).toEqual([200, 'ok', undefined]);
    await daemon.untilHealth(({ gateways }) => gateways[0]?.account?.balance != null);
  });

  it('answers what no route sees in the error envelope, and no web page of another host', async () => {
    const daemon = await start({ DAEMON_CONTROL_TOKEN: 'secret', DAEMON_ALLOWED_HOSTS: 'desk.example' });
    const asked = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const url = new URL(path, daemon.url);
      const call = request({ hostname: url.hostname, port: url.port, path, method, headers }).end();
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      const body = await text(response);
      const { 'x-request-id': id, allow } = response.headers;
      const envelope = body === '' ? {} : (JSON.parse(body) as { error_type?: string; request_id?: string });
      return { status: response.statusCode, type: envelope.error_type, sameId: envelope.request_id === id, allow };
    };
    const key = { authorization: 'bearer secret' };
    expect(await asked('/status/%zz', key)).toMatchObject({ status: 400, type: 'validation_error', sameId: true });
    for (const path of ['/health/', '/list/', '/status/trader/', `/status/${'a'.repeat(300)}`]) {
      expect(await asked(path, key)).toMatchObject({ status: 404, type: 'not_found', sameId: true });
    }
    expect(await asked('/list', key, 'POST')).toMatchObject({ status: 405, allow: 'GET, HEAD', sameId: true });
    expect((await asked('/list', key)).status).toBe(200);
    expect(await asked('/list', { ...key, host: 'evil.example' })).toMatchObject({ status: 403, type: 'forbidden' });
    expect(await asked('/list', { ...key, origin: 'http://evil.example' })).toMatchObject({ status: 403 });
    expect((await asked('/list', { ...key, host: 'desk.example:6547' })).status).toBe(200);
    expect(daemon.program.output).not.toContain('without a credential');
  });

  it('on the network without a credential is warned of', async () => {
    const daemon = await start({}, ['--control-host', '0.0.0.0']);
    expect(await daemon.program.line(/open to the network without a credential/)).toContain('"level":"WARNING"');
  });

  it('names each strategy’s own port, which streams its events', async () => {
    const daemon = await start({ DAEMON_CONTROL_TOKEN: 'secret' });
    const { body } = await daemon.call<readonly { port: number }[]>('/list');
    const url = `http://127.0.0.1:${body[0]?.port}`;
    const headers = { authorization: 'Bearer secret' };
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ name: 'trader' });
    expect((await fetch(`${url}/status`)).status).toBe(401);
    expect(await (await fetch(`${url}/status`, { headers })).json()).toMatchObject({ name: 'trader', magic });
    expect(await (await fetch(`${url}/latency`, { headers })).json()).toMatchObject({ enabled: false });
    expect((await fetch(`${url}/nope`, { headers })).status).toBe(404);
    const abort = new AbortController();
    const events = await fetch(`${url}/events`, { headers, signal: abort.signal });
    const decoder = new TextDecoder();
    let heard = '';
    for await (const chunk of events.body ?? []) {
      heard += decoder.decode(chunk as Uint8Array);
      if (['signal', 'order', 'trade'].every((name) => heard.includes(`event: ${name}`))) break;
    }
    abort.abort();
    expect(heard).toMatch(/event: trade\ndata: \{"intentId":/);
  });

  it('lets a log be followed over its rotation, line by line', async () => {
    const flood = strategyFile(
      folder,
      'flood',
      `for (let line = 0; line < 100; line++) trade.log('n' + (bars * 100 + line) + ' ' + 'x'.repeat(3_900));`,
    );
    config = configuration(folder, gateway.url, [{ name: 'flood', module: flood, magic }]);
    const daemon = await start();
    const former = join(folder, 'state/logs/flood.log.1');
    const response = await daemon.follow('/logs/flood?lines=0&follow=true&level=info');
    expect(response.headers.get('content-type')).toContain('text/plain');
    const numbers: number[] = [];
    let text = '';
    const decoder = new TextDecoder();
    let rotatedAt = 0;
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      numbers.push(
        ...lines.flatMap((line) => /^\S+ INFO \[broker [^\]]+\] n(\d+) x{3900}$/.exec(line)?.[1] ?? []).map(Number),
      );
      if (rotatedAt === 0 && existsSync(former)) rotatedAt = numbers.length;
      if (rotatedAt > 0 && numbers.length > rotatedAt + 100) break;
    }
    const [first = 0] = numbers;
    expect(numbers).toEqual(numbers.map((_, index) => first + index));
  });

  it('refuses odd parameters of /logs, naming them', async () => {
    const daemon = await start();
    for (const [query, field] of [
      ['follow=1', 'follow'],
      ['follow=TRUE', 'follow'],
      ['level=loud', 'level'],
      ['level=info&level=error', 'level'],
      ['lines=10001', 'lines'],
      ['lines=1&lines=2', 'lines'],
      ['since=yesterday', 'since'],
    ]) {
      const { status, body } = await daemon.call(`/logs/trader?${query}`);
      expect([status, body]).toMatchObject([
        400,
        { error_type: 'validation_error', error: expect.stringContaining(field ?? '') },
      ]);
    }
    expect((await daemon.call('/logs/trader?level=warn&follow=false')).status).toBe(200);
  });

  it('refuses parameters that a route does not have, with those that it has', async () => {
    const daemon = await start();
    for (const [path, problem] of [
      ['/logs/trader?sinc=2024-01-01', 'sinc: unknown query parameter; did you mean since?'],
      ['/status?scop=fleet', 'scop: unknown query parameter; did you mean scope?'],
      ['/status/trader?x=1', 'x: unknown query parameter; this route has scope'],
      ['/list?scope=host&scope=fleet', 'scope: must be given once, not 2 times'],
      ['/equity/trader?limit=3', 'limit: unknown query parameter; this route has days, scope'],
      ['/latency?x=1', 'x: unknown query parameter; this route has scope'],
    ]) {
      expect([path, await daemon.call(path ?? '')]).toMatchObject([path, { status: 400, body: { error: problem } }]);
    }
    // Probes and scrapers add parameters of their own.
    for (const path of ['/health?probe=1', '/metrics?x=1', '/status/trader?scope=host'])
      expect([path, (await daemon.call(path)).status]).toEqual([path, 200]);
  });

  it('is found by its file exactly while it answers, and the daemon ends with 0', async () => {
    const daemon = await start();
    const file = join(folder, 'state', 'control.port');
    expect(readFileSync(file, 'utf8')).toMatch(/^\d+\n$/);
    expect(await daemon.stop()).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  it('is refused to a second daemon on the same state directory', async () => {
    const daemon = await start();
    const second = DaemonProgram.spawn({ config, stateDir: join(folder, 'state'), env: { API_KEY: 'e2e-key' } });
    expect(await second.exitCode()).toBe(1);
    expect(second.output).toContain('another daemon process is using');
    expect((await daemon.call('/health')).status).toBe(200);
  });

  it('is not opened for a wrong command line', async () => {
    const start = (flags: string[]) =>
      DaemonProgram.spawn({ config, stateDir: join(folder, 'other'), env: { API_KEY: 'e2e-key' }, flags });
    const unknown = start(['--control-prot', '1']);
    expect(await unknown.exitCode()).toBe(2);
    expect(unknown.output).toContain('did you mean --control-port?');
    const noNumber = start(['--control-port', 'any']);
    expect(await noNumber.exitCode()).toBe(2);
    expect(noNumber.output).toContain('--control-port must be an integer');
  });
});
