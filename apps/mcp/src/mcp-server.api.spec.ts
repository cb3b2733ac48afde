import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { METHODS, request } from 'node:http';
import { connect } from 'node:net';
import { text as everything } from 'node:stream/consumers';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { VirtualClock } from '@libs/clock';
import { removeFolder } from '../../gateway/src/testing/gateway-under-test';
import { effort } from '../../../test/setup/effort';
import { newApprovalKey, signedBy } from './approval/approval-key';
import { approve, listPending } from './cli/approve.command';
import { readTools } from './mcp-server';
import { serveHttp } from './serve-http';
import { poisonedTexts } from './testing/poisoned-texts';
import { callTool, type ToolAnswer } from './testing/call-tool';
import { McpUnderTest, type Era, type Person } from './testing/mcp-under-test';
import { approvalText, digestOf } from './trading/handle-record';
import { HandleStore } from './trading/handle.store';
import type { Moment } from './trading/moment';

const passphrase = 'a passphrase of the operator';
const operator = newApprovalKey(passphrase);
const policy = {
  approval_keys: [operator.publicKey],
  handle_seconds: 120,
  magic: 777,
  without_person: {
    ...{ paper_only: true, actions: ['open', 'close', 'change', 'cancel'], symbols: ['EURUSD'] },
    ...{
      max_lots: 0.1,
      max_open_lots: 0.3,
      max_loss: 100,
      max_requests_per_hour: 10_000,
      max_requests_per_day: 20_000,
    },
  },
};
const approver: Person = (message) => ({
  action: 'accept',
  content: { type_to_approve: /To approve it, type: (.+)$/.exec(message)?.[1] ?? '' },
});

/** `fetch` sets Host itself. */
function statusWithHost(port: number, host: string, authorization: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, authorization };
    const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end('{}');
  });
}

/** A method that `fetch` does not send. */
async function rawAnswer(port: number, line: string, authorization: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const headers = `Host: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\nConnection: close\r\n`;
  socket.write(`${line} HTTP/1.1\r\n${headers}\r\n`);
  return everything(socket);
}

describe('the MCP server, in front of a whole gateway', () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20));
  let mcp: McpUnderTest;
  let client: Client;

  beforeAll(async () => {
    mcp = await McpUnderTest.start(clock, policy);
    client = await mcp.connect(mcp.servers(), 'modern');
  });

  afterEach(async () => {
    mcp.onTrade = (url, init) => fetch(url, init);
    mcp.onRead = (_url, answer) => Promise.resolve(answer);
    await mcp.gateway.call({ method: 'POST', url: '/close_all_positions', payload: {} });
  });

  afterAll(async () => {
    await mcp.stop();
    [mcp.folder, mcp.gateway.folder].forEach(removeFolder);
  });

  /** Orders that reached the broker. */
  const orders = async (): Promise<number> =>
    (await mcp.gateway.call('/history_orders_total')).json<{ total: number }>().total;
  const bid = async (): Promise<number> =>
    (await mcp.gateway.call('/symbol_info_tick/EURUSD')).json<{ bid: number }>().bid;
  const wish = async (volume = 0.1): Promise<Record<string, unknown>> => ({
    ...{ symbol: 'EURUSD', volume, type: 'BUY', sl: Number(((await bid()) - 0.005).toFixed(5)) },
  });
  const handleOf = ({ content, text }: ToolAnswer): string => {
    if (typeof content['handle'] !== 'string') throw new Error(text);
    return content['handle'];
  };
  const preview = async (by: Client = client, volume = 0.1): Promise<string> =>
    handleOf(await callTool(by, 'preview_order', await wish(volume)));
  const openStore = (): HandleStore => new HandleStore(mcp.folder, null);
  const now = (): Moment => mcp.now();
  const approveInTerminal = (
    handle: string | undefined,
    typed: string,
    change: { key?: string; phrase?: string; meanwhile?: () => Promise<unknown> } = {},
    out: (line: string) => void = () => undefined,
  ): Promise<number> => {
    const { key = operator.pem, phrase = passphrase, meanwhile } = change;
    const ask = async (question: string): Promise<string> => {
      if (!question.includes('assphrase')) return typed;
      await meanwhile?.();
      return phrase;
    };
    return approve(handle, { openStore, now, out, ask, key: () => key });
  };
  const statusOf = async (handle: string, by: Client = client): Promise<unknown> =>
    (await callTool(by, 'execute_order', { handle })).content['status'];

  it('answers every read in its declared form, to clients of both generations', async () => {
    await callTool(client, 'execute_order', { handle: await preview() });
    const args: Readonly<Record<string, Record<string, unknown>>> = {
      get_symbol: { symbol: 'EURUSD' },
      get_quote: { symbol: 'EURUSD' },
      get_market_book: { symbol: 'EURUSD' },
      get_bars: { symbol: 'EURUSD', timeframe: 'M1', count: 5 },
      get_bars_range: { symbol: 'EURUSD', timeframe: 'M1', from: '2026-01-07T10:00:00Z', to: '2026-01-07T10:10:00Z' },
      get_ticks: { symbol: 'EURUSD', from: '2026-01-07T10:00:00Z', count: 5 },
      get_server_time: { date: '2026-01-07T10:00:00Z' },
      check_order: { symbol: 'EURUSD', volume: 0.1, type: 'BUY' },
      calculate_margin: { symbol: 'EURUSD', volume: 0.1, type: 'BUY' },
      calculate_profit: { symbol: 'EURUSD', volume: 0.1, type: 'BUY', price_open: 1.1, price_close: 1.2 },
      get_position_summary: { position: 1 },
      get_order: { ticket: 1 },
      get_trade_request: { key: 'none' },
      get_trade_request_audit: { key: 'none' },
      get_strategy_log: { name: 'trend' },
    };
    const legacy = await mcp.connect(mcp.servers(), 'legacy');
    for (const by of [client, legacy]) {
      const { tools } = await by.listTools();
      const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
      expect(reading).toEqual(expect.arrayContaining(readTools.map(({ name }) => name)));
      for (const { name } of readTools) {
        const { isError, text } = await callTool(by, name, args[name]);
        expect({ name, isError, text: isError ? text : '' }).toEqual({ name, isError: false, text: '' });
      }
    }
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('docs://trading/operation');
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['account_review', 'incident_review', 'prepare_order']);
    for (const { description } of prompts) expect(description).toMatch(/\w/);
  });

  it('gives a long list in pages that end', async () => {
    const names: unknown[] = [];
    let cursor: unknown = null;
    do {
      const next = typeof cursor === 'string' ? { cursor } : {};
      const { content } = await callTool(client, 'list_symbols', { limit: 3, ...next });
      const rows = content['rows'];
      if (!Array.isArray(rows)) throw new Error('no rows');
      expect(rows.length).toBeLessThanOrEqual(3);
      names.push(...rows.map(({ name }: { name: unknown }) => name));
      cursor = content['next_cursor'];
    } while (cursor !== null);
    expect(names.length).toBeGreaterThan(3);
    expect(new Set(names).size).toBe(names.length);
    expect(await callTool(client, 'list_symbols', { cursor: 'x' })).toMatchObject({ isError: true });
  });

  it('says that a failed read is no empty list', async () => {
    const answer = await callTool(client, 'get_quote', { symbol: 'NOSUCH' });
    expect(answer).toMatchObject({ isError: true, content: {} });
    expect(answer.text).toContain('not_found');
  });

  it('previews the exact request with margin and money at risk, and sends nothing', async () => {
    const before = await orders();
    const { content } = await callTool(client, 'preview_order', await wish());
    expect(content).toMatchObject({
      request: { method: 'POST', path: '/order', body: { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 777 } },
      needs_person: false,
    });
    expect(content['money_at_risk']).toBeGreaterThan(40);
    expect(content['money_at_risk']).toBeLessThan(60);
    expect(content['margin']).toBeGreaterThan(0);
    expect(await orders()).toBe(before);
  });

  it('sends the request of a handle within the policy once, however often it is executed', async () => {
    const before = await orders();
    const handle = await preview();
    const first = await callTool(client, 'execute_order', { handle });
    expect(first.content).toMatchObject({ status: 'done', approved_by: 'policy', repeated: false });
    const restarted = await mcp.connect(mcp.servers(), 'legacy');
    const again = [client, restarted].map((by) => callTool(by, 'execute_order', { handle }));
    for (const { content } of await Promise.all(again)) {
      expect(content).toMatchObject({ status: 'done', repeated: true });
    }
    expect(await orders()).toBe(before + 1);
    expect((await callTool(client, 'get_order_outcome', { handle })).content).toMatchObject({ status: 'done' });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['too large', { volume: 0.2 }, 'max_lots'],
    ['of another symbol', { symbol: 'GBPUSD', sl: undefined }, 'not in the policy'],
    ['without a stop loss', { sl: undefined }, 'no bound'],
    ['with too much at risk', { sl: 1.0 }, 'max_loss'],
  ])('sends no order %s without a person', async (_name, change, reason) => {
    const before = await orders();
    const { content, text } = await callTool(client, 'preview_order', { ...(await wish()), ...change });
    expect(text).toContain(reason);
    const answer = await callTool(client, 'execute_order', { handle: content['handle'] });
    expect(answer.content).toMatchObject({ status: 'needs_person' });
    expect(answer.text).toContain(reason);
    expect(await orders()).toBe(before);
  });

  it.each<Era>(['legacy', 'modern'])(
    'asks the person of a %s client, and sends what the person approved',
    async (era) => {
      const asked: string[] = [];
      const answers: Person[] = [() => ({ action: 'accept', content: {} }), approver];
      const by = await mcp.connect(mcp.servers(), era, (message) => {
        asked.push(message);
        return answers.shift()?.(message) ?? { action: 'cancel' };
      });
      const before = await orders();
      const handle = await preview(by, 0.2);
      expect((await callTool(by, 'execute_order', { handle })).content).toMatchObject({ status: 'needs_person' });
      expect(await orders()).toBe(before);
      const { content } = await callTool(by, 'execute_order', { handle });
      expect(content).toMatchObject({ status: 'done', approved_by: 'elicitation' });
      expect(asked).toHaveLength(2);
      expect(asked[1]).toContain('BUY 0.2 EURUSD, on account 100001 (demo)');
      expect(await orders()).toBe(before + 1);
    },
  );

  it('never sends what the person declined', async () => {
    const by = await mcp.connect(mcp.servers(), 'modern', () => ({ action: 'decline' }));
    const before = await orders();
    const handle = await preview(by, 0.2);
    expect((await callTool(by, 'execute_order', { handle })).content).toMatchObject({ status: 'declined' });
    await expect(approveInTerminal(handle, 'BUY 0.2 EURUSD')).rejects.toThrow('declined');
    expect((await callTool(by, 'execute_order', { handle })).content).toMatchObject({ status: 'declined' });
    expect(await orders()).toBe(before);
  });

  it('sends what a person approved in the terminal, by the words of the request and for this handle only', async () => {
    const [handle, other] = [await preview(client, 0.2), await preview(client, 0.2)];
    expect(await approveInTerminal(handle, 'yes')).toBe(1);
    expect(await statusOf(handle)).toBe('needs_person');
    expect(await approveInTerminal(handle, 'BUY 0.2 EURUSD')).toBe(0);
    expect(await approveInTerminal(handle, 'BUY 0.2 EURUSD')).toBe(0);
    expect(await statusOf(other)).toBe('needs_person');
    const { content } = await callTool(client, 'execute_order', { handle });
    expect(content).toMatchObject({ status: 'done', approved_by: 'terminal' });
  });

  it('shows each waiting request to a person who names none', async () => {
    const before = await orders();
    const [first, second] = [await preview(client, 0.2), await preview(client, 0.3)];
    const seen: string[] = [];
    expect(await approveInTerminal(undefined, 'BUY 0.3 EURUSD', {}, (line) => seen.push(line))).toBe(0);
    for (const text of [first, second, 'BUY 0.2 EURUSD, on account']) expect(seen.join()).toContain(text);
    expect(await statusOf(first)).toBe('needs_person');
    expect(await statusOf(second)).toBe('done');
    const listed: string[] = [];
    listPending({ openStore, now, out: (line) => listed.push(line) });
    expect(listed.join()).toContain(`${first}  waits`);
    expect(listed.join()).not.toContain(second);
    expect(await orders()).toBe(before + 1);
  });

  it('takes nothing that a program without the private key can write for an approval', async () => {
    const before = await orders();
    const [handle, other] = [await preview(client, 0.2), await preview(client, 0.2)];
    const record = openStore().find(handle);
    if (record === null) throw new Error('no record');
    const path = join(mcp.folder, 'approvals', handle);
    const forger = newApprovalKey(passphrase);
    await approveInTerminal(other, 'BUY 0.2 EURUSD');
    const forged = [
      digestOf(record),
      operator.publicKey,
      '{"approved":true}',
      '',
      // A true signature, of another handle.
      readFileSync(join(mcp.folder, 'approvals', other), 'utf8'),
      signedBy(forger.pem, passphrase, approvalText(record)).signature,
    ];
    for (const text of forged) {
      writeFileSync(path, text);
      const { content } = await callTool(client, 'execute_order', { handle });
      expect(content).toMatchObject({ status: 'needs_person' });
      const notSigned = 'the approval that is there is not signed by a key of the policy, for this request';
      expect(content['needs_person_because']).toContain(notSigned);
    }
    rmSync(path);
    mkdirSync(path);
    expect(await statusOf(handle)).toBe('needs_person');
    rmSync(path, { recursive: true });
    await expect(approveInTerminal(handle, 'BUY 0.2 EURUSD', { phrase: 'a wrong passphrase' })).rejects.toThrow(
      'wrong',
    );
    await expect(approveInTerminal(handle, 'BUY 0.2 EURUSD', { key: operator.publicKey })).rejects.toThrow('no key');
    expect(await approveInTerminal(handle, 'BUY 0.2 EURUSD', { key: forger.pem })).toBe(0);
    expect(await statusOf(handle)).toBe('needs_person');
    expect(await orders()).toBe(before);
  });

  it('approves the request that the person saw, not what became of its file since', async () => {
    const before = await orders();
    const handle = await preview(client, 0.2);
    await approveInTerminal(handle, 'BUY 0.2 EURUSD');
    const path = join(mcp.folder, 'handles', `${handle}.json`);
    const text = readFileSync(path, 'utf8');
    const changes = [
      text.replace('"volume":0.2', '"volume":5'),
      text.replace(/"expiresMs":\d+/, `"expiresMs":${clock.nowMs() + 3_000_000}`),
      text.replace(/"login":\d+/, '"login":5'),
      text.replace('/order"', '/close_all_positions"'),
    ];
    for (const changed of changes) {
      expect(changed).not.toBe(text);
      writeFileSync(path, changed);
      expect(await statusOf(handle, await mcp.connect(mcp.servers(), 'modern'))).toBe('needs_person');
    }
    expect(await orders()).toBe(before);
    writeFileSync(path, text);
    expect(await statusOf(handle, await mcp.connect(mcp.servers(), 'modern'))).toBe('done');
  });

  it('approves nothing that was sent, was declined or expired while the person read it', async () => {
    const words = 'BUY 0.1 EURUSD';
    const sent = await preview();
    await expect(approveInTerminal(sent, words, { meanwhile: () => statusOf(sent) })).rejects.toThrow('was sent');
    const late = await preview();
    const wait = (): Promise<void> => clock.advance(121_000);
    await expect(approveInTerminal(late, words, { meanwhile: wait })).rejects.toThrow('expired');
    expect(await statusOf(late)).toBe('expired');
    await expect(approveInTerminal('mcp-../../x', words)).rejects.toThrow('there is no handle');
    const after = await preview(client, 0.2);
    await approveInTerminal(after, 'BUY 0.2 EURUSD');
    await wait();
    expect(await statusOf(after)).toBe('expired');
  });

  it.each([
    ['names no key', { approval_keys: [] }, 'the policy has no approval_keys for a terminal'],
    ['allows questions alone', { approve_by: ['elicitation'] }, 'the policy lets nobody approve in a terminal'],
  ])('has no approval in a terminal where the policy %s', async (_what, changes, why) => {
    const by = await mcp.connect(mcp.servers({ ...policy, ...changes }), 'modern');
    const handle = await preview(by, 0.2);
    expect(await approveInTerminal(handle, 'BUY 0.2 EURUSD')).toBe(0);
    const { content } = await callTool(by, 'execute_order', { handle });
    expect(content).toMatchObject({ status: 'needs_person' });
    expect(content['advice']).toContain(why);
  });

  it.each(['file:///etc/passwd', 'docs://trading/../../.data/mcp', 'docs://trading/%2e%2e%2fkey', 'docs://other/mcp'])(
    'reads no file for a model: %s',
    async (uri) => {
      await expect(client.readResource({ uri })).rejects.toThrow();
    },
  );

  it('sends nothing more once the policy file has changed, until it is as it was or the server was restarted', async () => {
    const before = await orders();
    const by = await mcp.connect(mcp.servers(), 'modern', approver);
    const { policyFile: file } = mcp;
    const text = readFileSync(file, 'utf8');
    const [within, outside, lost] = [await preview(by), await preview(by, 0.2), await preview(by, 0.01)];
    await approveInTerminal(outside, 'BUY 0.2 EURUSD');
    mcp.onTrade = () => Promise.reject(new Error('the connection broke'));
    expect(await statusOf(lost, by)).toBe('unknown');
    mcp.onTrade = (url, init) => fetch(url, init);
    for (const changed of ['{', '', text.replace('"max_lots":0.1', '"max_lots":50'), null]) {
      if (changed === null) rmSync(file);
      else writeFileSync(file, changed);
      const cause = changed === null ? 'cannot be read' : 'has changed';
      for (const handle of [within, outside]) {
        const answer = await callTool(by, 'execute_order', { handle });
        expect(answer).toMatchObject({ isError: true, content: {} });
        expect(answer.text).toContain(cause);
      }
      expect((await callTool(by, 'preview_order', await wish())).text).toContain(cause);
      expect((await callTool(by, 'get_policy')).text).toContain(cause);
    }
    // A handle that was sent is no new request: what became of it is told all the same.
    expect(await statusOf(lost, by)).toBe('rejected');
    expect(await orders()).toBe(before);
    writeFileSync(file, text);
    expect(await statusOf(within, by)).toBe('done');
    expect(await statusOf(outside, by)).toBe('done');
  });

  it('sends nothing under a handle that has expired', async () => {
    const before = await orders();
    const handle = await preview();
    await clock.advance(121_000);
    expect((await callTool(client, 'execute_order', { handle })).content).toMatchObject({ status: 'expired' });
    expect(await orders()).toBe(before);
  });

  it('asks a person for a handle from before a restart', async () => {
    const handle = await preview();
    const restarted = await mcp.connect(mcp.servers(), 'modern');
    const { content } = await callTool(restarted, 'execute_order', { handle });
    expect(content).toMatchObject({
      status: 'needs_person',
      needs_person_because: ['the server was restarted since the preview'],
    });
  });

  it('closes, changes and cancels by handles, too', async () => {
    await callTool(client, 'execute_order', { handle: await preview() });
    const { content } = await callTool(client, 'list_positions');
    const [position] = Array.isArray(content['rows']) ? content['rows'] : [];
    const { ticket } = position;
    const sl = Number(((await bid()) - 0.004).toFixed(5));
    const limit = { symbol: 'EURUSD', volume: 0.1, type: 'BUY_LIMIT', price: sl, sl: sl - 0.002 };
    const done = async (name: string, args: Record<string, unknown>): Promise<ToolAnswer> => {
      const answer = await callTool(client, 'execute_order', { handle: handleOf(await callTool(client, name, args)) });
      expect({ name, status: answer.content['status'], text: answer.text }).toMatchObject({ name, status: 'done' });
      return answer;
    };
    await done('preview_levels', { position: ticket, sl });
    await done('preview_order', limit);
    const { content: pending } = await callTool(client, 'list_orders');
    const [order] = Array.isArray(pending['rows']) ? pending['rows'] : [];
    await done('preview_order_change', { order: order.ticket, price: sl - 0.001 });
    await done('preview_cancel', { order: order.ticket });
    await done('preview_close', { position: ticket, volume: 0.05 });
    await done('preview_close', { position: ticket });
    expect((await callTool(client, 'list_positions')).content).toMatchObject({ total: 0 });
  });

  it('leaves positions of others to a person', async () => {
    const payload = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 1 };
    const placed = await mcp.gateway.call({ method: 'POST', url: '/order', payload });
    const position = placed.json<{ position: number | null; result: { order: number } }>().result.order;
    const { content } = await callTool(client, 'preview_close', { position });
    const answer = await callTool(client, 'execute_order', { handle: content['handle'] });
    expect(answer.content['needs_person_because']).toEqual([
      'the position or order was not opened through this server',
    ]);
  });

  it('reports a lost answer as unknown, asks for the same handle, and finds the one order', async () => {
    const before = await orders();
    const handle = await preview();
    mcp.onTrade = async (url, init) => {
      await fetch(url, init);
      throw new Error('the connection broke');
    };
    const lost = await callTool(client, 'execute_order', { handle });
    expect(lost).toMatchObject({ isError: true, content: { status: 'unknown' } });
    expect(lost.content['advice']).toContain('same handle');
    // A guard that refuses the repetition proves nothing about the first send.
    mcp.onTrade = async () => Response.json({ ok: false, error: 'no', error_type: 'unauthorized' }, { status: 401 });
    expect((await callTool(client, 'execute_order', { handle })).content).toMatchObject({ status: 'done' });
    mcp.onTrade = (url, init) => fetch(url, init);
    expect((await callTool(client, 'execute_order', { handle })).content).toMatchObject({ status: 'done' });
    await clock.advance(121_000);
    expect((await callTool(client, 'execute_order', { handle })).content).toMatchObject({ status: 'done' });
    expect(await orders()).toBe(before + 1);
  });

  it('asks the policy again before it repeats a request that may not have arrived', async () => {
    const before = await orders();
    const hours = { days: ['wed'], from: '10:00', to: '11:00' };
    const by = await mcp.connect(
      mcp.servers({ ...policy, handle_seconds: 3_600, without_person: { ...policy.without_person, hours } }),
      'modern',
    );
    const lose = (): Promise<Response> => Promise.reject(new Error('the connection broke'));
    const [first, second] = [await preview(by, 0.01), await preview(by, 0.01)];
    mcp.onTrade = lose;
    for (const handle of [first, second]) {
      const { content } = await callTool(by, 'execute_order', { handle });
      expect(content).toMatchObject({ status: 'unknown' });
      expect(content['advice']).toMatch(/execute_order .*same handle/);
    }
    expect((await callTool(by, 'get_order_outcome', { handle: first })).content).toMatchObject({ status: 'unknown' });
    mcp.onTrade = (url, init) => fetch(url, init);
    expect(await statusOf(first, by)).toBe('done');
    await clock.advance(3_000_000);
    const { content } = await callTool(by, 'execute_order', { handle: second });
    expect(content).toMatchObject({ status: 'rejected', answer: { status: 'void' } });
    // Whatever was still on its way arrives too late.
    expect(await statusOf(second, by)).toBe('rejected');
    expect(await orders()).toBe(before + 1);
  });

  it('proves after a restart that a request did not arrive, and sends nothing for it', async () => {
    const before = await orders();
    const handle = await preview();
    mcp.onTrade = () => Promise.reject(new Error('the connection broke'));
    expect(await statusOf(handle)).toBe('unknown');
    mcp.onTrade = (url, init) => fetch(url, init);
    expect(await statusOf(handle, await mcp.connect(mcp.servers(), 'legacy'))).toBe('rejected');
    expect(await statusOf(handle)).toBe('rejected');
    expect(await orders()).toBe(before);
  });

  it('doubles none of many calls that are issued again, across restarts and lost answers', async () => {
    const before = await orders();
    const calls = effort(300, 10_000);
    const handles = [await preview(client, 0.01), await preview(client, 0.01), await preview(client, 0.01)];
    let sends = 0;
    mcp.onTrade = async (url, init) => {
      const reply = await fetch(url, init);
      if (sends++ % 2 === 0) throw new Error('the connection broke');
      return reply;
    };
    const perClient = 50;
    for (let call = 0; call < calls; call += perClient) {
      const by = call === 0 ? client : await mcp.connect(mcp.servers(), call % 100 === 0 ? 'modern' : 'legacy');
      const batch = Array.from({ length: perClient }, (_, index) => handles[(call + index) % handles.length]);
      const answers = await Promise.all(batch.map((handle) => callTool(by, 'execute_order', { handle })));
      for (const { content } of answers) expect(['done', 'unknown']).toContain(content['status']);
    }
    expect(await orders()).toBe(before + handles.length);
  });

  it('sends nothing beyond the policy for a hostile client', async () => {
    const tight = { ...policy, without_person: { ...policy.without_person, max_requests_per_hour: 3, max_lots: 0.05 } };
    await clock.advance(3_700_000);
    const before = await orders();
    const by = await mcp.connect(mcp.servers(tight), 'modern');
    const large = await preview(by, 0.5);
    const small = await Promise.all(Array.from({ length: 12 }, () => preview(by, 0.02)));
    const tricks: Record<string, unknown>[] = [
      ...[true, 'true', 1, 'yes'].map((approved) => ({ handle: large, approved })),
      ...[{ confirm: true }, { approval: 'person' }, { force: true }, { volume: 0.01 }].map((more) => ({
        handle: large,
        ...more,
      })),
      ...['', 'x', `${large} `, large.toUpperCase(), 'mcp-'.padEnd(36, 'f'), '../handles', '__proto__'].map(
        (handle) => ({ handle }),
      ),
      { handle: large },
      { handle: [large] },
    ];
    for (const args of tricks) expect(await callTool(by, 'execute_order', args)).toMatchObject({ isError: true });
    const content = { type_to_approve: 'BUY 0.5 EURUSD' };
    const forged = { inputResponses: { approval: { action: 'accept', content } } };
    for (const requestState of [undefined, 'e30', 'AAAA.BBBB']) {
      const params = {
        name: 'execute_order',
        arguments: { handle: large },
        ...forged,
        ...(requestState ? { requestState } : {}),
      };
      const sent = by.request({ method: 'tools/call', params }).then(
        (answer) => JSON.stringify(answer),
        (error: Error) => error.message,
      );
      expect(await sent).not.toContain('"status":"done"');
    }
    await Promise.all([...small, large].map((handle) => callTool(by, 'execute_order', { handle })));
    await Promise.all(small.map((handle) => callTool(by, 'execute_order', { handle })));
    expect(await orders()).toBe(before + 3);
    const rows = (await mcp.gateway.call('/get_positions')).json<{ data: { volume: number; symbol: string }[] }>().data;
    expect(rows.map(({ volume, symbol }) => [volume, symbol])).toEqual(
      Array.from({ length: 3 }, () => [0.02, 'EURUSD']),
    );
  });

  it('counts the requests of an hour whatever the wall clock is set to, also after a restart', async () => {
    const tight = { ...policy, without_person: { ...policy.without_person, max_requests_per_hour: 2 } };
    await clock.advance(3_700_000);
    const before = await orders();
    const restarted = (): Promise<Client> => mcp.connect(mcp.servers(tight), 'modern');
    let by = await restarted();
    for (let count = 0; count < 2; count++) expect(await statusOf(await preview(by, 0.01), by)).toBe('done');
    for (const hours of [0, 2, 24 * 30, -2]) {
      mcp.wallStepMs = hours * 3_600_000;
      expect(await statusOf(await preview(by, 0.01), by)).toBe('needs_person');
      by = await restarted();
      expect(await statusOf(await preview(by, 0.01), by)).toBe('needs_person');
      // How long the machine was off, nothing tells.
      mcp.boot = `${mcp.boot}, and again`;
      by = await restarted();
      expect(await statusOf(await preview(by, 0.01), by)).toBe('needs_person');
    }
    // An hour passes; the clock is still that which was set back.
    await clock.advance(3_600_000);
    const handle = await preview(by, 0.01);
    mcp.wallStepMs -= 3_600_000;
    expect(await statusOf(handle, by)).toBe('done');
    mcp.wallStepMs = 0;
    expect(await orders()).toBe(before + 3);
  });

  it('counts the lots of calls at the same time, too', async () => {
    const tight = { ...policy, without_person: { ...policy.without_person, max_open_lots: 0.03 } };
    const by = await mcp.connect(mcp.servers(tight), 'modern');
    const handles = await Promise.all(Array.from({ length: 6 }, () => preview(by, 0.01)));
    const answers = await Promise.all(handles.map((handle) => callTool(by, 'execute_order', { handle })));
    expect(answers.filter(({ content }) => content['status'] === 'done')).toHaveLength(3);
    expect(answers.filter(({ text }) => text.includes('max_open_lots'))).toHaveLength(3);
  });

  it('counts the slippage that an order accepts as money at risk', async () => {
    const before = await orders();
    const { content, text } = await callTool(client, 'preview_order', { ...(await wish()), deviation: 900 });
    expect(content['money_at_risk']).toBeGreaterThan(140);
    expect(text).toContain('max_loss');
    expect(await statusOf(handleOf({ content, text, isError: false }))).toBe('needs_person');
    expect(await orders()).toBe(before);
  });

  it('counts the lots of an order whose outcome is not known, as if it was filled', async () => {
    const tight = { ...policy, without_person: { ...policy.without_person, max_open_lots: 0.03 } };
    const by = await mcp.connect(mcp.servers(tight), 'modern');
    const before = await orders();
    const [first, second] = [await preview(by, 0.02), await preview(by, 0.02)];
    const late: (() => Promise<Response>)[] = [];
    mcp.onTrade = (url, init) => {
      late.push(() => fetch(url, init));
      return Promise.reject(new Error('the connection broke'));
    };
    expect(await statusOf(first, by)).toBe('unknown');
    mcp.onTrade = (url, init) => fetch(url, init);
    const answer = await callTool(by, 'execute_order', { handle: second });
    expect(answer.content).toMatchObject({ status: 'needs_person' });
    expect(answer.text).toContain('0.04 open lots, with the 0.02 of handles whose outcome is not known');
    // What was on its way arrives: the account has what the policy allows.
    await late[0]?.();
    expect(await statusOf(first, by)).toBe('done');
    expect(await orders()).toBe(before + 1);
    expect(await statusOf(second, by)).toBe('needs_person');
  });

  it('frees the lots of an order that provably was not sent', async () => {
    const tight = { ...policy, without_person: { ...policy.without_person, max_open_lots: 0.03 } };
    const by = await mcp.connect(mcp.servers(tight), 'modern');
    const first = await preview(by, 0.02);
    mcp.onTrade = () => Promise.reject(new Error('the connection broke'));
    expect(await statusOf(first, by)).toBe('unknown');
    mcp.onTrade = (url, init) => fetch(url, init);
    await clock.advance(121_000);
    const third = await preview(by, 0.02);
    expect(await statusOf(third, by)).toBe('needs_person');
    expect(await statusOf(first, by)).toBe('rejected');
    expect(await statusOf(third, by)).toBe('done');
  });

  it('sends nothing if the policy changes or the handle expires while the account is read', async () => {
    const before = await orders();
    const by = await mcp.connect(mcp.servers(), 'modern', approver);
    const { policyFile: file } = mcp;
    const text = readFileSync(file, 'utf8');
    for (const volume of [0.1, 0.2]) {
      const handle = await preview(by, volume);
      mcp.onRead = (_url, answer) => {
        writeFileSync(file, '{}');
        return Promise.resolve(answer);
      };
      expect((await callTool(by, 'execute_order', { handle })).text).toContain('has changed');
      mcp.onRead = (_url, answer) => Promise.resolve(answer);
      writeFileSync(file, text);
    }
    const slow = await preview(by);
    mcp.onRead = async (_url, answer) => {
      await clock.advance(121_000);
      return answer;
    };
    expect(await statusOf(slow, by)).toBe('expired');
    expect(await orders()).toBe(before);
  });

  it('sends nothing that a person approved for a demo account to one with the same number that is none', async () => {
    const before = await orders();
    const handle = await preview(client, 0.2);
    await approveInTerminal(handle, 'BUY 0.2 EURUSD');
    mcp.onRead = async (url, answer) =>
      url.endsWith('/account') ? Response.json({ ...((await answer.json()) as object), trade_mode: 2 }) : answer;
    const answer = await callTool(client, 'execute_order', { handle });
    expect(answer).toMatchObject({ isError: true, content: {} });
    expect(answer.text).toContain('the account has changed since the preview');
    expect(await orders()).toBe(before);
  });

  it('marks poisoned comments of the broker, and places no order for them', async () => {
    for (const comment of poisonedTexts.map((text) => text.replace(/[^\x20-\x7e]/g, '').slice(0, 31))) {
      const payload = { symbol: 'EURUSD', type: 'BUY', volume: 0.01, comment };
      expect((await mcp.gateway.call({ method: 'POST', url: '/order', payload })).statusCode).toBe(200);
    }
    const before = await orders();
    for (const name of ['list_positions', 'list_deals', 'list_past_orders', 'list_events', 'reconcile']) {
      const { text } = await callTool(client, name, name === 'reconcile' ? {} : { limit: 100 });
      expect(text.match(/"comment":"(?!«[^«»]*»")[^"]/g)).toBeNull();
    }
    expect(await orders()).toBe(before);
  });

  it('serves both generations over HTTP, to those who have its key and come from an allowed host', async () => {
    const key = 'a-key-of-its-own-for-http';
    const http = await serveHttp(mcp.servers(), { host: '127.0.0.1', port: 0, key, allowedHosts: [] });
    try {
      const url = new URL(`http://127.0.0.1:${http.port}/mcp`);
      const authorization = `Bearer ${key}`;
      const call = async (headers: Record<string, string>, path = '/mcp'): Promise<number> => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
        const accept = 'application/json, text/event-stream';
        const request = { method: 'POST', body, headers: { 'content-type': 'application/json', accept, ...headers } };
        return (await fetch(new URL(path, url), request)).status;
      };
      expect(await call({})).toBe(401);
      expect(await call({ authorization: `${authorization}x` })).toBe(401);
      expect(await call({ authorization: 'Bearer test-key' })).toBe(401);
      expect(await call({ authorization, origin: 'https://evil.test' })).toBe(403);
      expect(await statusWithHost(http.port, 'evil.test', authorization)).toBe(403);
      expect(await call({ authorization }, '/')).toBe(404);
      expect(await call({ authorization })).toBe(200);
      expect(await rawAnswer(http.port, 'HEAD /mcp', authorization)).toMatch(
        /^HTTP\/1\.1 405 [^]*\r\nallow: POST\r\n/i,
      );
      const others = METHODS.filter((name) => name !== 'POST' && name !== 'HEAD');
      for (const method of [...others, 'get', 'Post', 'FOO']) {
        const answer = await rawAnswer(http.port, `${method} /mcp`, authorization);
        expect(answer).toMatch(/^HTTP\/1\.1 405 [^]*\r\nallow: POST\r\n/i);
        expect(answer).toMatch(/"error":"\S+ is not allowed here; allowed: POST"/);
      }
      for (const mode of ['legacy', 'auto'] as const) {
        const by = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
        await by.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }));
        expect((await callTool(by, 'get_account')).content).toMatchObject({ login: 100001 });
        const handle = await preview(by, 0.2);
        expect((await callTool(by, 'execute_order', { handle })).content).toMatchObject({ status: 'needs_person' });
        await by.close();
      }
    } finally {
      await http.close();
    }
  });

  it('has no tool that trades where the policy is read only', async () => {
    const by = await mcp.connect(mcp.servers({ read_only: true }), 'modern');
    const { tools } = await by.listTools();
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    expect(await callTool(by, 'execute_order', { handle: 'x' })).toMatchObject({ isError: true });
  });
});

describe('the MCP server on a netting account', () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20));
  let mcp: McpUnderTest;

  beforeAll(async () => {
    mcp = await McpUnderTest.start(clock, policy, { SIM_MARGIN_MODE: 'netting' });
  });

  afterAll(async () => {
    await mcp.stop();
    [mcp.folder, mcp.gateway.folder].forEach(removeFolder);
  });

  it.each([
    ['of another program', 1],
    ['of its own', 777],
  ])('leaves an order that would change an open position %s to a person', async (_name, magic) => {
    const { call } = mcp.gateway;
    await call({ method: 'POST', url: '/order', payload: { symbol: 'EURUSD', type: 'BUY', volume: 0.3, magic } });
    const client = await mcp.connect(mcp.servers(), 'modern');
    const { bid } = (await call('/symbol_info_tick/EURUSD')).json<{ bid: number }>();
    for (const [type, sl] of [
      ['BUY', bid - 0.005],
      ['SELL', bid + 0.005],
    ]) {
      const wish = { symbol: 'EURUSD', volume: 0.1, type, sl: Number(Number(sl).toFixed(5)) };
      const { content } = await callTool(client, 'preview_order', wish);
      const answer = await callTool(client, 'execute_order', { handle: content['handle'] });
      expect(answer.content).toMatchObject({ status: 'needs_person' });
      expect(answer.text).toContain('a netting account');
    }
    const [position] = (await call('/get_positions')).json<{ data: { volume: number }[] }>().data;
    expect(position?.volume).toBe(0.3);
    await call({ method: 'POST', url: '/close_all_positions', payload: {} });
  });

  it('leaves to a person what a pending order of the symbol would join, and the change of an order that would join', async () => {
    const { call } = mcp.gateway;
    const client = await mcp.connect(mcp.servers(), 'modern');
    const { bid } = (await call('/symbol_info_tick/EURUSD')).json<{ bid: number }>();
    const at = (distance: number): number => Number((bid - distance).toFixed(5));
    const executed = async (tool: string, args: Record<string, unknown>): Promise<ToolAnswer> => {
      const { content, text } = await callTool(client, tool, args);
      return callTool(client, 'execute_order', { handle: content['handle'] ?? text });
    };
    const limit = { symbol: 'EURUSD', volume: 0.1, type: 'BUY_LIMIT', price: at(0.005), sl: at(0.01) };
    expect((await executed('preview_order', limit)).content).toMatchObject({ status: 'done' });
    const market = { symbol: 'EURUSD', volume: 0.1, type: 'BUY', sl: at(0.005) };
    for (const wish of [market, { ...limit, price: at(0.006) }]) {
      const answer = await executed('preview_order', wish);
      expect(answer.content).toMatchObject({ status: 'needs_person' });
      expect(answer.text).toContain('a netting account');
    }
    const [order] = (await call('/orders')).json<{ data: { ticket: number }[] }>().data;
    const change = { order: order?.ticket, sl: at(0.0101) };
    expect((await executed('preview_order_change', change)).content).toMatchObject({ status: 'done' });
    // A person opens a position by hand.
    await call({ method: 'POST', url: '/order', payload: { symbol: 'EURUSD', type: 'SELL', volume: 0.3 } });
    const answer = await executed('preview_order_change', { ...change, sl: at(0.0102) });
    expect(answer.content).toMatchObject({ status: 'needs_person' });
    expect((await executed('preview_cancel', { order: order?.ticket })).content).toMatchObject({ status: 'done' });
    await call({ method: 'POST', url: '/close_all_positions', payload: {} });
  });
});
