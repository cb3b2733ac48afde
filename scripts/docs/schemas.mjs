// JSON Schemas of the files that the programs read, from the built code that reads them.
import { createRequire } from 'node:module';

/** Each schema by the name of its file. */
export function schemaFiles(root) {
  const require = createRequire(import.meta.url);
  const { daemonFileSchema } = require(`${root}/dist/apps/daemon/src/daemon-file/read-daemon-file`);
  const { schemas } = require(`${root}/dist/apps/gateway/src/schemas/run-schema`);
  return {
    'daemon.schema.json': daemonFileSchema(),
    ...Object.fromEntries(Object.entries(schemas).map(([name, schemaOf]) => [`${name}.schema.json`, schemaOf()])),
  };
}

const files = {
  daemon: ['[the configuration of the daemon](docs/daemon.md#configuration)', 'daemon schema'],
  notifier: ['`NOTIFIER_FILE`, see [alerts](docs/alerts.md)', 'gateway schema notifier'],
  signals: ['`SIGNALS_FILE`, see [signals](docs/signals.md)', 'gateway schema signals'],
  symbols: ['`SIM_SYMBOLS`, see [the simulator](libs/simulator/README.md)', 'gateway schema symbols'],
};

/** The page that names them. */
export function schemasPage(schemas) {
  const rows = Object.keys(schemas).map((file) => {
    const [what, command] = files[file.replace('.schema.json', '')];
    return `| ${what} | [${file}](/schemas/${file}) | \`${command}\` |`;
  });
  return [
    '# JSON Schemas\n',
    'An editor with a schema completes a file and underlines what is wrong in it. Each schema refuses the same unknown, missing and',
    'wrong members as the program does. The program checks more: names that belong together, and variables that must be set.\n',
    `| file | schema | printed by |\n|---|---|---|\n${rows.join('\n')}\n`,
    'Save the schema beside the file, and begin the file with its name. In YAML:\n',
    '```yaml\n# yaml-language-server: $schema=./signals.schema.json\n```\n',
    'In JSON, the member `"$schema": "./symbols.schema.json"` does the same. `daemon new` writes schema and line for `daemon.yaml`. The',
    'installed package has the schemas in `dist/apps/schemas`.\n',
  ].join('\n');
}
