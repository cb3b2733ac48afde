// docs/configuration.md, from the settings tables of the built programs.
import { createRequire } from 'node:module';

export function render({ root }) {
  return { 'docs/configuration.md': configurationPage(createRequire(import.meta.url), root) };
}

function configurationPage(require, root) {
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
    'All settings are environment variables. An empty value counts as unset. A name that is almost a that of a setting is refused,\nand so is a name without a value in a file. At start, all problems are reported together,\nby name; values are never printed. `npm run docs` renders this page from the tables of the programs.\n',
    '`npm start` uses demo values for some that you leave unset: a generated `API_KEY`, the login of the simulated account, and\nfiles in `.data`. Yours are set in front of it: `TERMINAL_API_PORT=5100 SYMBOL_WHITELIST=EURUSD,GBPUSD npm start`.\n',
    '## Gateway\n',
    ...gatewaySettingGroups.map(section('###')),
    '## Commands of the gateway\n',
    `${settingsMarkdown(commandSettings)}\n`,
    '## Daemon\n',
    `${settingsMarkdown(daemonSettings)}\n`,
  ].join('\n');
}
