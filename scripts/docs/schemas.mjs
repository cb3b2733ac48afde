// JSON Schemas of the files that the programs read, from the classes that read them.
import { createRequire } from 'node:module';

/** Each schema by the name of its file. */
export function schemaFiles(root) {
  const require = createRequire(import.meta.url);
  const { daemonFileSchema } = require(`${root}/dist/apps/daemon/src/daemon-file/read-daemon-file`);
  return { 'daemon.schema.json': daemonFileSchema() };
}

/** The page that names them. */
export function schemasPage(schemas) {
  return `# JSON Schemas\n\n${Object.keys(schemas)
    .map((name) => `- [${name}](/schemas/${name})\n`)
    .join('')}`;
}
