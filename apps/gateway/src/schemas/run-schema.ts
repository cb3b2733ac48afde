import { symbolFileSchema } from '@libs/simulator';
import { schemaNames } from '../cli/usage';
import { notifierFileSchema } from '../notifier/notifier-file-schema';
import { signalsFileSchema } from '../signals/signals-file-schema';

const usage = `usage: gateway schema ${schemaNames.join('|')}
Prints the JSON Schema of NOTIFIER_FILE, SIGNALS_FILE or SIM_SYMBOLS, for an editor.`;

/** The JSON Schema of each file that the gateway reads. */
export const schemas: Readonly<Record<(typeof schemaNames)[number], () => object>> = {
  notifier: notifierFileSchema,
  signals: signalsFileSchema,
  symbols: symbolFileSchema,
};

/** `gateway schema FILE`. @returns the exit code */
export function runSchema(args: readonly string[]): number {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return 0;
  }
  const [given, ...others] = args;
  const name = schemaNames.find((one) => one === given);
  if (name === undefined || others.length > 0) {
    console.error(`schema needs the name of a file: ${schemaNames.join(', ')}\n${usage}`);
    return 2;
  }
  console.log(JSON.stringify(schemas[name](), null, 2));
  return 0;
}
