import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

type Line = Readonly<Record<string, unknown>>;

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const own = /^[0-9a-f]{32}$/;

describe('the trace of a trade request', () => {
  let gateway: GatewayUnderTest;
  let logged: Line[];
  beforeEach(async () => {
    logged = [];
    const write = (line: string): void => void logged.push(JSON.parse(line) as Line);
    gateway = await gatewayUnderTest({ env: { SIM_HOURS: 'always' }, logged: { write } });
  });
  afterEach(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const order = (key: string, headers: Record<string, string>, volume = 0.1) =>
    gateway.call({
      ...{ method: 'POST', url: '/order', headers: { 'idempotency-key': key, ...headers } },
      payload: { symbol: 'EURUSD', type: 'BUY', volume },
    });
  const audit = (): Line[] =>
    readFileSync(join(gateway.folder, 'order-audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  const auditOf = (key: string): Line[] => audit().filter((line) => line['client_order_id'] === key);
  const logOf = (msg: string): Line[] => logged.filter((line) => line['msg'] === msg);
  const traceOfKey = async (key: string): Promise<unknown> =>
    (await gateway.call(`/trade_requests/${key}`)).json<Line>()['trace_id'];

  it('is the one of its traceparent in the logs, in the audit log and in the journal', async () => {
    const answer = await order('k', { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    expect(answer.statusCode).toBe(200);
    expect(auditOf('k').map((line) => [line['event'], line['trace_id']])).toEqual([
      ['intent', trace],
      ['broker_response', trace],
    ]);
    expect(logOf('order_send')).toMatchObject([
      {
        ...{ trace_id: trace, client_order_id: 'k', outcome: 'done', retcode: 10_009 },
        intent_id: auditOf('k')[0]?.['intent_id'],
      },
    ]);
    expect(logOf('request').filter((line) => line['path'] === '/order')).toMatchObject([{ trace_id: trace }]);
    expect(await traceOfKey('k')).toBe(trace);
  });

  it('leads to a warning in the log while the outcome is unknown, and to none for what is done', async () => {
    await order('done', {});
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    await order('lost', {});
    expect(logOf('order_send')).toMatchObject([
      { level: 'INFO', client_order_id: 'done', outcome: 'done' },
      { level: 'WARNING', client_order_id: 'lost', outcome: 'unknown' },
    ]);
  });

  it('is one of its own if the header is missing or invalid, which refuses nothing', async () => {
    const headers = [{}, { traceparent: 'nonsense' }, { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }];
    for (const [index, header] of headers.entries()) expect((await order(`k${index}`, header)).statusCode).toBe(200);
    const traces = headers.map((_, index) => auditOf(`k${index}`)[0]?.['trace_id']);
    for (const [index, one] of traces.entries()) {
      expect(one).toMatch(own);
      expect(await traceOfKey(`k${index}`)).toBe(one);
    }
    expect(new Set(traces).size).toBe(3);
  });

  it('is in the audit line of a refusal and of a halt', async () => {
    const traceparent = `00-${trace}-00f067aa0ba902b7-00`;
    expect((await order('refused', { traceparent }, -1)).statusCode).toBe(400);
    await gateway.call({ method: 'POST', url: '/kill', headers: { traceparent } });
    expect(auditOf('refused')).toMatchObject([{ event: 'refused', trace_id: trace }]);
    expect(audit().filter(({ event }) => event === 'kill_engaged')).toMatchObject([{ trace_id: trace }]);
  });
});
