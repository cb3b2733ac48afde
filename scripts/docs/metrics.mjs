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

/** Name and meaning of every metric of a page. @throws Error for a type that its name does not show */
function definitionsOn(text) {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name, type]) => [name, type]));
  return [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name, meaning]) => {
    if (types.get(name) !== typeOf(name))
      throw new Error(`${name} is a ${types.get(name)}, by its name a ${typeOf(name)}`);
    return { name, meaning };
  });
}

/** As the page says it. */
function typeOf(name) {
  if (name.endsWith('_total')) return 'counter';
  return name.endsWith('_duration_seconds') ? 'histogram' : 'gauge';
}

function metricsPage({ gateway, daemon }) {
  const inBoth = gateway.filter(({ name }) => daemon.some((other) => other.name === name));
  const only = (metrics) => metrics.filter(({ name }) => !inBoth.some((other) => other.name === name));
  // Those of prom-client, which documents them.
  const isOfLibrary = ({ name }) => /^(process|nodejs)_/.test(name);
  return `# Metrics

\`GET /metrics\` of the gateway, and of the daemon's control port, is a page for Prometheus ([alerts and
dashboards](operation.md#alerts-and-dashboards)). A name in \`_total\` is a counter, one in \`_duration_seconds\` a histogram, any other a
gauge. \`npm run docs\` renders this list from running programs.

## The gateway

${table(only(gateway))}
## The daemon

Metrics of a strategy have the label \`strategy\`, those of a portfolio \`portfolio\`, those of an account \`gateway\`. Their values are absent
until they are known. Money is in the currency of the account, times are Unix seconds.

${table(only(daemon))}
## Both programs

${table(inBoth.filter((metric) => !isOfLibrary(metric)))}
The metrics \`process_\` and \`nodejs_\` are the [default metrics of prom-client](https://github.com/siimon/prom-client#default-metrics).
`;
}

/** One row for all metrics of one meaning, as those of a strategy and of a portfolio. */
function table(metrics) {
  const byMeaning = new Map();
  for (const metric of metrics) byMeaning.set(metric.meaning, [...(byMeaning.get(metric.meaning) ?? []), metric]);
  const rows = [...byMeaning].map(([meaning, same]) => {
    const names = same.map(({ name }) => `\`${name}\``).join(', ');
    return `| ${names} | ${meaning.replaceAll('|', '\\|')} |\n`;
  });
  return `| metric | meaning |\n|---|---|\n${rows.join('')}`;
}
