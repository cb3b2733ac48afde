import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpReceiver } from '../../apps/gateway/src/notifier/testing/http-receiver';
import { GatewayProgram } from './programs/gateway-program';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository } from './programs/started-program';

jest.setTimeout(120_000);

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
}
interface Exported {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
/** Prints the packages of the exporter that the program has loaded when it ends. */
const listing = `process.on('exit', () => {
  const names = Object.keys(require.cache).map((path) => /@opentelemetry.((?:sdk|exporter|otlp)[^/\\\\\\\\]*)/.exec(path)?.[1]);
  require('node:fs').writeSync(1, 'loaded: ' + [...new Set(names.filter(Boolean))].sort().join() + '.\\\\n');
});`.replaceAll('\\\\', '\\');

describe('OpenTelemetry', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  const traded = async (endpoint: string): Promise<readonly string[]> => {
    const hook = join(scratch.folder(), 'listing.cjs');
    writeFileSync(hook, listing);
    const env = { SIM_HOURS: 'always', NODE_OPTIONS: `--require ${hook}` };
    const gateway = await GatewayProgram.startReady(scratch, { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    const answer = await gateway.call('/order', {
      ...{ method: 'POST', body: { symbol: 'EURUSD', type: 'BUY', volume: 0.1 } },
      headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01`, 'idempotency-key': 'k' },
    });
    expect(answer.status).toBe(200);
    expect(await gateway.stop()).toBe(0);
    return gateway.logs;
  };

  it('receives the request below its caller, and the send below the request', async () => {
    const receiver = await HttpReceiver.start();
    const logs = await traded(`${receiver.url}/`);
    await receiver.close();
    expect(new Set(receiver.taken.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
    const exported = receiver.taken.flatMap(({ body }) => (JSON.parse(body) as Exported).resourceSpans);
    const spans = exported.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    const named = (name: string) => spans.find((span) => span.name === name);
    expect(spans).toHaveLength(2);
    expect(named('POST /order')).toMatchObject({ traceId: trace, parentSpanId: '00f067aa0ba902b7' });
    expect(named('order_send')).toMatchObject({ traceId: trace, parentSpanId: named('POST /order')?.spanId });
    expect(named('order_send')?.attributes).toContainEqual({ key: 'client_order_id', value: { stringValue: 'k' } });
    const service = { key: 'service.name', value: { stringValue: 'trading-gateway' } };
    expect(exported[0]?.resource.attributes).toContainEqual(service);
    expect(logs.at(-1)).toMatch(/^loaded: .*exporter-trace-otlp-http.*sdk-trace/);
  });

  it('is not loaded without its setting', () => {
    const program = `require('./dist/apps/gateway/src/serve.js');
const { openSpans } = require('./dist/libs/tracing/src/index.js');
if (openSpans({ endpoint: undefined, service: 's', version: 'v' }).isEnabled) process.exit(1);`;
    const hook = join(scratch.folder(), 'listing.cjs');
    writeFileSync(hook, listing);
    const args = ['--require', hook, '-e', program];
    const run = spawnSync(process.execPath, args, { cwd: repository, env: bareEnvironment(), encoding: 'utf8' });
    expect(run).toMatchObject({ status: 0, stdout: 'loaded: .\n', stderr: '' });
  });
});
