import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { freePort } from './programs/launcher-program';
import { GatewayProgram } from './programs/gateway-program';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository } from './programs/started-program';

interface Probe {
  readonly httpGet?: { readonly path: string };
  readonly exec?: { readonly command: readonly string[] };
}

interface Container {
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Manifest {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
}

/** The gateway's container as the example manifest for Kubernetes describes it. */
function container(): Container {
  const text = readFileSync(join(repository, 'deploy/kubernetes/gateway.yaml'), 'utf8');
  const deployment = parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest)
    .find(({ kind }) => kind === 'Deployment');
  if (deployment === undefined) throw new Error('the manifest has no Deployment');
  return deployment.spec.template.spec.containers[0];
}

describe('the probes of the example manifest', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let probePort: number;
  beforeAll(async () => {
    probePort = await freePort();
    gateway = await GatewayProgram.startReady(scratch, { TERMINAL_PROBE_PORT: String(probePort) });
  });
  afterAll(() => scratch.clear());

  /** Runs a probe as the kubelet does: without a key of its own; its command runs beside the gateway. */
  async function passes({ httpGet, exec }: Probe, secret = gateway.key): Promise<boolean> {
    if (httpGet) return (await fetch(`${gateway.url}${httpGet.path}`)).ok;
    const keyFile = join(scratch.folder(), 'api-key');
    writeFileSync(keyFile, `${secret}\n`);
    const [command = '', ...args] = (exec?.command ?? []).map((part) => part.replace(/^\/app\//, `${repository}/`));
    const env = { ...bareEnvironment(), API_KEY_FILE: keyFile, TERMINAL_API_PORT: new URL(gateway.url).port };
    const child = spawn(command, args, { env, stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  }

  it('pass while the gateway is ready; the pod gets traffic', async () => {
    const { startupProbe, livenessProbe, readinessProbe } = container();
    expect([await passes(startupProbe), await passes(livenessProbe), await passes(readinessProbe)]).toEqual([
      true,
      true,
      true,
    ]);
    expect((await fetch(`http://127.0.0.1:${probePort}/ready`)).status).toBe(200);
  });

  it('fail for readiness alone while the kill switch is active', async () => {
    const { livenessProbe, readinessProbe } = container();
    await gateway.call('/kill', { method: 'POST' });
    expect([await passes(livenessProbe), await passes(readinessProbe)]).toEqual([true, false]);
    expect((await fetch(`http://127.0.0.1:${probePort}/ready`)).status).toBe(503);
    await gateway.call('/kill/release', { method: 'POST' });
    expect(await passes(readinessProbe)).toBe(true);
  });

  it('need the key for readiness', async () => {
    expect(await passes(container().readinessProbe, 'another')).toBe(false);
  });

  it('say which setting to change when the probe port is taken', async () => {
    const failing = GatewayProgram.start(scratch, { TERMINAL_PROBE_PORT: String(probePort) });
    await expect(failing.then((other) => other.logLine(/never/))).rejects.toThrow(
      'Set TERMINAL_PROBE_PORT to a free port',
    );
  });
});
