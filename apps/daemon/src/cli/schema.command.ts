import { daemonFileSchema } from '../daemon-file/read-daemon-file';
import { argumentsOf, commands } from './commands';

/** `daemon schema`: prints the JSON Schema of the configuration file. */
export function schema(args: readonly string[], print: (text: string) => void): number {
  argumentsOf(commands.schema, args);
  print(`${JSON.stringify(daemonFileSchema(), null, 2)}\n`);
  return 0;
}
