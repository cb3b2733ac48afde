import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HttpReceiver } from '../../apps/gateway/src/notifier/testing/http-receiver';
import { configuration, DaemonProgram, strategyFile } from './daemon/daemon-program';
import { holdOne } from './daemon/drill-rig';
import { GatewayProgram } from './programs/gateway-program';
import { fastMarket } from './programs/markets';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository } from './programs/started-program';

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

/** The spans that a receiver has taken, with the service of each. */
function spansOf({ taken }: HttpReceiver): (Span & { readonly service: string })[] {
  return taken
    .flatMap(({ body }) => (JSON.parse(body) as Exported).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const service = textOf(resource.attributes, 'service.name');
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
    });
}

function textOf(attributes: readonly Attribute[], name: string): string {
  return String(attributes.find(({ key }) => key === name)?.value['stringValue']);
}

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
    const spans = spansOf(receiver);
    const named = (name: string) => spans.find((span) => span.name === name);
    expect(spans).toHaveLength(2);
    expect(named('POST /order')).toMatchObject({ traceId: trace, parentSpanId: '00f067aa0ba902b7' });
    expect(named('order_send')).toMatchObject({ traceId: trace, parentSpanId: named('POST /order')?.spanId });
    expect(named('order_send')?.attributes).toContainEqual({ key: 'client_order_id', value: { stringValue: 'k' } });
    expect(spans.map(({ service }) => service)).toEqual(['trading-gateway', 'trading-gateway']);
    expect(logs.at(-1)).toMatch(/^loaded: .*exporter-trace-otlp-http.*sdk-trace/);
  });

  it('has one trace from the decision of a strategy to the audit line of its order', async () => {
    const receiver = await HttpReceiver.start();
    const otel = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    const gateway = await GatewayProgram.startReady(scratch, { ...fastMarket(), ...otel });
    const folder = scratch.folder();
    const module = strategyFile(folder, 'buyer', holdOne);
    const config = configuration(folder, gateway.url, [{ name: 'buyer', module }]);
    const start = { config, stateDir: join(folder, 'state'), env: { API_KEY: gateway.key, ...otel } };
    const daemon = await DaemonProgram.start(scratch, start);
    await daemon.untilStatus('buyer', ({ positions }) => positions.length > 0);
    expect(await daemon.stop()).toBe(0);
    expect(await gateway.stop()).toBe(0);
    await receiver.close();

    const spans = spansOf(receiver);
    const decision = spans.find(({ name }) => name === 'strategy decision');
    const below = (parent: Span | undefined) => spans.find(({ parentSpanId }) => parentSpanId === parent?.spanId);
    const send = below(decision);
    const request = below(send);
    const terminal = below(request);
    const way = [decision, send, request, terminal].map((span) => [span?.service, span?.name]);
    expect(way).toEqual([
      ['trading-daemon', 'strategy decision'],
      ['trading-daemon', 'POST /order'],
      ['trading-gateway', 'POST /order'],
      ['trading-gateway', 'order_send'],
    ]);
    expect(new Set([decision, send, request, terminal].map((span) => span?.traceId)).size).toBe(1);
    const audit = readFileSync(join(gateway.folder, 'order-audit.jsonl'), 'utf8').trim().split('\n');
    const lines = audit
      .map((line) => JSON.parse(line) as { readonly event: string; readonly trace_id?: string })
      .filter(({ trace_id: id }) => id === decision?.traceId);
    expect(lines.map(({ event }) => event)).toEqual(['intent', 'broker_response']);
  });

  it('does not keep a program from ending if its receiver never answers', async () => {
    const receiver = await HttpReceiver.start(() => 'silence');
    const program = `const { openSpans, traceNamed } = require('./dist/libs/tracing/src/index.js');
const spans = openSpans({ endpoint: '${receiver.url}', service: 's', version: 'v' });
const place = { context: traceNamed('work'), parentSpanId: null, startMs: 0, durationMs: 1 };
spans.record({ name: 'work', kind: 'internal', attributes: {}, isError: false, ...place });
spans.close().then(() => process.exit(0));`;
    const env = { ...bareEnvironment(), OTEL_EXPORTER_OTLP_TIMEOUT: '3600000', OTEL_BSP_EXPORT_TIMEOUT: '3600000' };
    await promisify(execFile)(process.execPath, ['-e', program], { cwd: repository, env });
    expect(receiver.received).toHaveLength(1);
    await receiver.close();
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
