import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWhatIsMissing } from '../scripts/launcher/build.mjs';
import { root } from '../scripts/launcher/commands.mjs';
import { demoSettings } from '../scripts/launcher/demo-settings.mjs';
import { installWhatIsMissing } from '../scripts/launcher/installation.mjs';
import { freePort } from '../scripts/launcher/ports.mjs';
import { Product } from '../scripts/launcher/product.mjs';

/** The built gateway on the simulated broker, with its state in a folder that goes away. */
export class StartedGateway {
  #product;
  #folder;

  constructor(product, folder) {
    this.#product = product;
    this.#folder = folder;
    this.url = product.url;
    this.headers = { authorization: `Bearer ${product.key}` };
    this.key = product.key;
  }

  static async start(settings = {}) {
    await installWhatIsMissing();
    await buildWhatIsMissing();
    const folder = mkdtempSync(join(tmpdir(), 'bench-'));
    const env = { ...process.env, ...settings, TERMINAL_API_PORT: String(await freePort()) };
    const product = new Product(demoSettings(env, folder).settings, join(folder, 'logs'));
    const gateway = new StartedGateway(product, folder);
    try {
      await product.startGateway();
      return gateway;
    } catch (error) {
      await gateway.stop();
      throw error;
    }
  }

  get pid() {
    return this.#product.gatewayPid;
  }

  async json(path, init = {}) {
    const response = await fetch(`${this.url}${path}`, { ...init, headers: { ...this.headers, ...init.headers } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** By the gateway's own metrics: processor seconds, resident mebibytes, and how late its loop was since the last call. */
  async usage() {
    const response = await fetch(`${this.url}/metrics`, { headers: this.headers });
    const text = await response.text();
    const value = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return {
      cpuSeconds: value('process_cpu_seconds_total'),
      residentMib: value('process_resident_memory_bytes') / 2 ** 20,
      lagP99Ms: value('nodejs_eventloop_lag_p99_seconds') * 1_000,
      lagMaxMs: value('nodejs_eventloop_lag_max_seconds') * 1_000,
    };
  }

  async stop() {
    await this.#product.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Keeps figures beside those of the other benches. */
export function keep(name, figures) {
  const file = join(root, '.data', 'bench', `${name}.json`);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ measuredAt: new Date().toISOString(), ...figures }, null, 2)}\n`);
  console.log(`Written to ${file.replace(`${root}/`, '')}`);
}
