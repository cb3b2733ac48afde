// The help of a script is the comment at its head, which says how it is called.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Prints the head of a script and ends the process, if its command line asks for help.
 * @param script its `import.meta.url`
 * @param names what it can be asked for by name
 */
export function helpIfAsked(script, names = []) {
  if (!process.argv.includes('--help')) return;
  const lines = readFileSync(fileURLToPath(script), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  const head = lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, ''));
  console.log([...head, ...(names.length === 0 ? [] : [`Names: ${names.join(', ')}`])].join('\n'));
  process.exit(0);
}
