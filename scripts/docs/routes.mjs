// docs/routes.md and docs/errors.md, from the OpenAPI document of the built gateway.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { errorsPage, routesPage } from './route-pages.mjs';

/** @param document file of an OpenAPI document; undefined: that of a gateway that is started */
export async function render({ root, document: saved }) {
  const document = saved ? JSON.parse(readFileSync(saved, 'utf8')) : await documentOfGateway(root);
  const catalogue = createRequire(import.meta.url)(`${root}/dist/libs/envelope/src`);
  return { 'docs/routes.md': routesPage(document), 'docs/errors.md': errorsPage(catalogue) };
}

/** Starts a gateway on a free port, and ends it. */
export async function documentOfGateway(root) {
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
