// `npm run docs:config` renders docs/configuration.md from the settings tables of the built programs; with --check it
// says whether the page is up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { buildWhatIsMissing } = await import('./launcher/build.mjs');
const { root } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');

const page = `${root}/docs/configuration.md`;

await installWhatIsMissing();
await buildWhatIsMissing();
const rendered = configurationPage();
if (process.argv.includes('--check')) {
  const isCurrent = readFileSync(page, 'utf8') === rendered;
  console.log(
    isCurrent ? 'docs/configuration.md is up to date.' : 'docs/configuration.md is stale: npm run docs:config',
  );
  process.exitCode = isCurrent ? 0 : 1;
} else {
  writeFileSync(page, rendered);
  console.log('docs/configuration.md written.');
}

function configurationPage() {
  const require = createRequire(import.meta.url);
  const { settingsMarkdown } = require(`${root}/dist/libs/settings/src`);
  const { gatewaySettingGroups } = require(`${root}/dist/apps/gateway/src/gateway.config`);
  const { commandSettings } = require(`${root}/dist/apps/gateway/src/cli/cli.config`);
  const { daemonSettings } = require(`${root}/dist/apps/daemon/src/daemon.config`);
  const section =
    (heading) =>
    ({ title, table }) =>
      `${heading} ${title}\n\n${settingsMarkdown(table)}\n`;
  return [
    '# Configuration\n',
    'All settings are environment variables. An empty value counts as unset. At start, all problems are reported together,\nby name; values are never printed. `npm run docs:config` renders this page from the tables of the programs.\n',
    '`npm start` uses demo values for some that you leave unset: a generated `API_KEY`, the login of the simulated account, and\nfiles in `.data`.\n',
    '## Gateway\n',
    ...gatewaySettingGroups.map(section('###')),
    '## Commands of the gateway\n',
    `${settingsMarkdown(commandSettings)}\n`,
    '## Daemon\n',
    `${settingsMarkdown(daemonSettings)}\n`,
  ].join('\n');
}
