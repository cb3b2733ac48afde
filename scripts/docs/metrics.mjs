// docs/metrics.md, from the metrics pages of a running gateway and daemon.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { freePort } from '../launcher/ports.mjs';

export async function render({ root }) {
  return { 'docs/metrics.md': metricsPage(await scraped(root)) };
}

/** The metrics pages of both programs, as `npm start` runs them. */
async function scraped(root) {
  const folder = mkdtempSync(join(tmpdir(), 'docs-metrics-'));
  const [port, control] = [await freePort(), await freePort()];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, API_KEY: 'docs' };
  const ports = { TERMINAL_API_PORT: String(port), DAEMON_CONTROL_PORT: String(control) };
  const product = spawn(process.execPath, [join(root, 'scripts/start.mjs'), '--data-dir', folder], {
    ...{ env: { ...env, ...ports }, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  const ended = new Promise((resolve) => product.once('close', resolve));
  try {
    await hasStarted(product.stdout);
    const read = async (at) => {
      const answer = await fetch(`http://127.0.0.1:${at}/metrics`, { headers: { authorization: 'Bearer docs' } });
      return definitionsOn(await answer.text());
    };
    return { gateway: await read(port), daemon: await read(control) };
  } finally {
    product.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws Error with what the product printed when it ends before it runs */
async function hasStarted(output) {
  const lines = [];
  for await (const line of createInterface({ input: output })) {
    if (line.includes('Ctrl-C ends both')) return output.resume();
    lines.push(line);
  }
  throw new Error(lines.join('\n'));
}

/** Name, type and meaning of every metric of a page. */
function definitionsOn(text) {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name, type]) => [name, type]));
  return [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name, meaning]) => ({
    ...{ name, type: types.get(name), meaning },
  }));
}

function metricsPage({ gateway, daemon }) {
  const inBoth = gateway.filter(({ name }) => daemon.some((other) => other.name === name));
  const only = (metrics) => metrics.filter(({ name }) => !inBoth.some((other) => other.name === name));
  return `# Metrics

\`GET /metrics\` of the gateway, and of the daemon's control port, is a page for Prometheus. \`npm run docs\` renders this list from
running programs. [Alerts and dashboards](operation.md#alerts-and-dashboards) has the rules that are shipped, and how to scrape.

## The gateway

${table(only(gateway))}
## The daemon

Metrics of a strategy have the label \`strategy\`, those of a portfolio \`portfolio\`, those of an account \`gateway\`. Their values are absent
until they are known. Money is in the currency of the account, times are Unix seconds.

${table(only(daemon))}
## Both programs

${table(inBoth)}`;
}

function table(metrics) {
  const rows = metrics.map(
    ({ name, type, meaning }) => `| \`${name}\` | ${type} | ${meaning.replaceAll('|', '\\|')} |\n`,
  );
  return `| metric | type | meaning |\n|---|---|---|\n${rows.join('')}`;
}
