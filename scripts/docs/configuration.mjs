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
    'Settings are environment variables; an empty value counts as unset. `npm start` uses demo values for some that you leave unset: a\ngenerated `API_KEY`, the login of the simulated account, and files in `.data`. Set yours in front of it:\n`TERMINAL_API_PORT=5100 SYMBOL_WHITELIST=EURUSD,GBPUSD npm start`.\n',
    '- A setting without a default is unset.\n- A secret may be in a file: the variable in parentheses names it.\n- `0 or 1` also accepts false, no, off, disabled and true, yes, on, enabled, in any letter case.\n- A name that is almost that of a setting is refused, and so is a name without a value in a file. The start reports all problems\n  together, by name, and never prints a value.\n',
    '`npm run docs` renders this page.\n',
    '## Gateway\n',
    ...gatewaySettingGroups.map(section('###')),
    '## Commands of the gateway\n',
    `${settingsMarkdown(commandSettings)}\n`,
    '## Daemon\n',
    `${settingsMarkdown(daemonSettings)}\n`,
  ].join('\n');
}
