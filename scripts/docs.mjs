// `npm run docs` renders every generated page; `npm run docs -- metrics routes` renders some. With --check it says whether the
// pages are up to date; with --document FILE the pages of the routes take an OpenAPI document that was saved before.
// `npm run docs -- site` builds the documentation site; --base /PATH/ is where it will be served.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { helpIfAsked } from './launcher/help.mjs';
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { buildWhatIsMissing } = await import('./launcher/build.mjs');
const { root } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');

/** What renders pages, each by its name in the repository. */
const renderers = {
  configuration: () => import('./docs/configuration.mjs'),
  metrics: () => import('./docs/metrics.mjs'),
  routes: () => import('./docs/routes.mjs'),
  python: () => import('./docs/python.mjs'),
  benchmarks: () => import('./docs/benchmarks.mjs'),
  // Under .build: a page to be read, which each change of a text changes.
  messages: () => import('./docs/messages.mjs'),
};
helpIfAsked(import.meta.url, [...Object.keys(renderers), 'site']);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false }, document: { type: 'string' }, base: { type: 'string' } },
});
const unknown = positionals.find((name) => !Object.hasOwn(renderers, name) && name !== 'site');
if (unknown !== undefined) {
  console.error(`there are no pages "${unknown}": ${Object.keys(renderers).join(', ')}, site`);
  process.exit(2);
}
await installWhatIsMissing();
await buildWhatIsMissing();
if (positionals.includes('site')) {
  const { buildSite } = await import('./docs/site.mjs');
  console.log(`The site is in ${await buildSite({ root, ...values })}.`);
}
for (const name of positionals.length > 0 ? positionals.filter((one) => one !== 'site') : Object.keys(renderers)) {
  const { render } = await renderers[name]();
  const pages = await render({ root, document: values.document, isCheck: values.check });
  for (const [page, text] of Object.entries(pages)) {
    if (values.check && !page.startsWith('.build/')) check(page, text);
    else write(page, text);
  }
}

function check(page, text) {
  const isCurrent = textOf(page) === text;
  if (!isCurrent) process.exitCode = 1;
  console.log(`${page} is ${isCurrent ? 'up to date' : 'stale: npm run docs'}.`);
}

function write(page, text) {
  mkdirSync(dirname(join(root, page)), { recursive: true });
  writeFileSync(join(root, page), text);
  console.log(`${page} written.`);
}

function textOf(page) {
  try {
    return readFileSync(join(root, page), 'utf8');
  } catch {
    return null;
  }
}
