import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

/** Blanks, until the reader closes the connection. */
function endless(response: ServerResponse): void {
  const part = ' '.repeat(1024 * 1024);
  const more = (left: number): void => {
    if (response.destroyed) return;
    if (left === 0) return void response.end('[]');
    if (response.write(part)) setImmediate(more, left - 1);
    else response.once('drain', () => more(left - 1));
  };
  more(64);
}

describe('the strategies of a daemon', () => {
  const strategies = [{ name: 'trend', state: 'running', balance: 10_000 }];
  let daemon: Server;
  let gateway: GatewayUnderTest;
  let asked: (string | undefined)[];
  let answer: (response: ServerResponse) => void;
  beforeAll(async () => {
    daemon = createServer(({ method, url, headers }, response) => {
      asked.push(`${method} ${url}`, headers.authorization);
      answer(response);
    });
    await new Promise<void>((listening) => daemon.listen(0, '127.0.0.1', listening));
    const { port } = daemon.address() as AddressInfo;
    const env = { CONSOLE_DAEMON_URL: `http://127.0.0.1:${port}/`, CONSOLE_DAEMON_TOKEN: 'control-token' };
    gateway = await gatewayUnderTest({ env });
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(async () => {
    daemon.closeAllConnections();
    daemon.close();
    await gateway.stop();
    removeFolder(gateway.folder);
  });
  const read = async (): Promise<unknown> => (await gateway.call('/console/strategies')).json();

  it('are those of its GET /status, read with its token', async () => {
    answer = (response) => void response.end(JSON.stringify(strategies));
    expect(await read()).toEqual({ ok: true, daemon: 'reachable', error: null, strategies });
    expect(asked).toEqual(['GET /status', 'Bearer control-token']);
  });

  it('are read once for all who ask at the same time', async () => {
    const waiting: ServerResponse[] = [];
    answer = (response) => void waiting.push(response);
    const reads = [read(), read(), read()];
    while (waiting.length === 0) await new Promise(setImmediate);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
    for (const response of waiting) response.end(JSON.stringify(strategies));
    expect(await Promise.all(reads)).toEqual(Array(3).fill({ ok: true, daemon: 'reachable', error: null, strategies }));
    expect(waiting).toHaveLength(1);
  });

  it('need the key of the gateway, and are not asked for without it', async () => {
    expect((await gateway.app.inject('/console/strategies')).statusCode).toBe(401);
    expect(asked).toEqual([]);
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['a refusal', (response) => void response.writeHead(401).end('{}'), /status 401/],
    ['another body', (response) => void response.end('{"strategies":[]}'), /no list of strategies/],
    ['rows that are none', (response) => void response.end('[1]'), /no list of strategies/],
    ['a text', (response) => void response.end('hello'), /./],
    ['an answer without an end', (response) => endless(response), /larger than/],
    ['a broken connection', (response) => void response.destroy(), /./],
    ['a redirection', (response) => void response.writeHead(302, { location: '/health' }).end(), /./],
  ])('are not an empty list after %s', async (_what, given, problem) => {
    answer = given;
    expect(await read()).toEqual({
      ...{ ok: true, daemon: 'unreachable', strategies: null },
      error: expect.stringMatching(problem),
    });
  });

  const log = (name: string, query = '') => gateway.call(`/console/strategies/${encodeURIComponent(name)}/log${query}`);

  it('have a log, whose newest lines are read with the name and the token', async () => {
    const lines = ['2026-01-05T10:00:00.250000Z INFO running'];
    answer = (response) => void response.end(JSON.stringify({ name: 'trend', lines, nextSince: null }));
    expect((await log('trend', '?lines=5')).json()).toEqual({ ok: true, daemon: 'reachable', error: null, lines });
    expect((await log('all of it/trend')).statusCode).toBe(200);
    expect(asked.filter((text) => text?.startsWith('GET'))).toEqual([
      'GET /logs/trend?lines=5',
      'GET /logs/all%20of%20it/trend?lines=200',
    ]);
  });

  it('have no log under another name, and none that leaves the folder of logs', async () => {
    answer = (response) => void response.writeHead(404).end('{}');
    expect((await log('gone')).statusCode).toBe(404);
    asked = [];
    for (const name of ['..', '../status', 'a/..', 'a/b/c', '/']) expect((await log(name)).statusCode).toBe(404);
    expect(asked).toEqual([]);
    expect((await log('trend', '?lines=0')).statusCode).toBe(400);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['a refusal', (response) => void response.writeHead(401).end('{}')],
    ['lines that are none', (response) => void response.end('{"lines":[1]}')],
    ['a broken connection', (response) => void response.destroy()],
  ])('have no empty log after %s', async (_what, given) => {
    answer = given;
    expect((await log('trend')).json()).toMatchObject({
      daemon: 'unreachable',
      error: expect.any(String),
      lines: null,
    });
  });

  const results = (name: string, query = '') =>
    gateway.call(`/console/strategies/${encodeURIComponent(name)}/results${query}`);
  /** Answers each of the two reads of the daemon on its own. */
  const told = (parts: Readonly<Record<string, unknown>>) => (response: ServerResponse) => {
    const part = Object.keys(parts).find((path) => response.req.url?.startsWith(path));
    if (part === undefined) response.writeHead(404).end('{}');
    else response.end(JSON.stringify(parts[part]));
  };

  it('have results: what the daemon recorded, and the backtest that it knows', async () => {
    const [equity, backtest] = [{ readings: [] }, { file: null }];
    answer = told({ '/equity': equity, '/backtest': backtest });
    const reachable = { ok: true, daemon: 'reachable', error: null };
    expect((await results('book/trend', '?days=7')).json()).toEqual({ ...reachable, equity, backtest });
    expect(asked.filter((text) => text?.startsWith('GET')).sort()).toEqual([
      'GET /backtest/book/trend',
      'GET /equity/book/trend?days=7',
    ]);
    // A daemon of an earlier version does not have one of them.
    answer = told({ '/equity': equity });
    expect((await results('trend')).json()).toEqual({ ...reachable, equity, backtest: null });
  });

  it('have no results under another name, and unknown ones while the daemon does not answer', async () => {
    answer = told({});
    expect((await results('gone')).statusCode).toBe(404);
    for (const name of ['..', 'a/..', 'a/b/c']) expect((await results(name)).statusCode).toBe(404);
    expect((await results('trend', '?days=0')).statusCode).toBe(400);
    const unknown = { daemon: 'unreachable', error: expect.any(String), equity: null, backtest: null };
    for (const broken of [told({ '/equity': [], '/backtest': {} }), told({ '/equity': {}, '/backtest': 1 })]) {
      answer = broken;
      expect((await results('trend')).json()).toMatchObject(unknown);
    }
    answer = (response) => void response.destroy();
    expect((await results('trend')).json()).toMatchObject(unknown);
  });
});
