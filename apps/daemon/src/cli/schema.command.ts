import { parseArguments } from '@libs/command-line';
import { daemonFileSchema } from '../daemon-file/read-daemon-file';

/** `daemon schema`: prints the JSON Schema of the configuration file. */
export function schema(args: readonly string[], print: (text: string) => void): number {
  parseArguments(args, {}, []);
  print(`${JSON.stringify(daemonFileSchema(), null, 2)}\n`);
  return 0;
}
