// `npm run docs:routes` renders docs/routes.md and docs/errors.md from the OpenAPI document of the built gateway. With --check it says
// whether they are up to date; with --document FILE it takes a document that was saved before.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { buildWhatIsMissing } = await import('./launcher/build.mjs');
const { root } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');
const { errorsPage, routesPage } = await import('./routes/pages.mjs');

await installWhatIsMissing();
await buildWhatIsMissing();
const args = process.argv.slice(2);
const saved = args.includes('--document') ? args[args.indexOf('--document') + 1] : undefined;
const document = saved ? JSON.parse(readFileSync(saved, 'utf8')) : await documentOfGateway();
const catalogue = createRequire(import.meta.url)(`${root}/dist/libs/envelope/src`);
const pages = { 'docs/routes.md': routesPage(document), 'docs/errors.md': errorsPage(document, catalogue) };

for (const [page, rendered] of Object.entries(pages)) {
  const isCurrent = readOrNull(`${root}/${page}`) === rendered;
  if (!args.includes('--check')) writeFileSync(`${root}/${page}`, rendered);
  else if (!isCurrent) process.exitCode = 1;
  console.log(
    `${page} ${args.includes('--check') ? (isCurrent ? 'is up to date' : 'is stale: npm run docs:routes') : 'written'}.`,
  );
}

function readOrNull(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Starts a gateway on a free port, and ends it. */
async function documentOfGateway() {
  const folder = mkdtempSync(join(tmpdir(), 'docs-routes-'));
  const settings = { STATE_DIR: folder, ORDER_AUDIT_FILE: `${folder}/audit.jsonl`, KILL_SWITCH_FILE: `${folder}/kill` };
  const env = { PATH: process.env.PATH, TERMINAL_API_PORT: '0', ...settings };
  const gateway = spawn(process.execPath, [`${root}/dist/apps/gateway/src/main.js`], { env });
  try {
    for await (const line of createInterface({ input: gateway.stdout })) {
      if (!line.includes('gateway is listening')) continue;
      return await (await fetch(`${JSON.parse(line).url}/apidocs/openapi.json`)).json();
    }
    throw new Error('the gateway did not start');
  } finally {
    // It writes to its folder until it has ended.
    const ended = gateway.exitCode === null ? once(gateway, 'exit') : undefined;
    gateway.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
