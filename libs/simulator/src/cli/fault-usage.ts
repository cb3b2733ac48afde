import { type FaultField, faultForms } from '../session/fault-forms';
import { changeable } from '../symbols/trading-terms';
import { optionName } from './fault-arguments';

const other: readonly (readonly [string, string])[] = [
  ['list', 'The faults in force.'],
  ['clear [FAULT]', 'Ends one fault, or all of them.'],
  [
    'set-symbol SYMBOL TERM=NUMBER ...',
    `The broker changes terms of a symbol until the simulator stops: ${changeable.join(', ')}.`,
  ],
  [
    'interrupt METHOD HOW [--times N]',
    'Served simulator only: breaks the link around the next calls of a method, or of * for all. HOW is close-before, close-after or no-answer.',
  ],
  ['drop-connections', 'Served simulator only: cuts every connection.'],
  ['login-by-hand', "Logs the account in, as a person at the terminal's window does."],
  ['advance MS', 'Moves the market forward at once; not with a market that shows the wall clock.'],
  ['feed-status', 'The current time of the market.'],
];

/** The help of `npm run simulator:fault`. */
export const faultUsage = `Usage: npm run simulator:fault -- COMMAND [ARGUMENTS]

Sets faults in the simulated broker: of the gateway that runs with SIM_FAULTS=1, or of \`npm run simulator\`.
A fault stays in force until it is cleared or has affected --times N calls. One fault of a kind is in force at a time.

Commands
${other.map(([form, meaning]) => entry(form, meaning)).join('\n')}

Faults
${Object.entries(faultForms)
  .map(([kind, form]) => faultEntry(kind, form))
  .join('\n')}

Where
  --state-dir DIR   STATE_DIR of the gateway (default: the variable STATE_DIR, else .data/gateway/state)
  --port N          port of \`npm run simulator\` on this machine, in place of a gateway
  --token T         its token (default: the variable TERMINAL_BRIDGE_TOKEN)
`;

function faultEntry(kind: string, form: { readonly meaning: string; readonly fields: object }): string {
  const fields = Object.entries(form.fields as Readonly<Record<string, FaultField>>);
  const shown = [kind, ...fields.map(([name, field]) => argument(name, field))].join(' ');
  const details = fields.map(([name, field]) => `      ${label(name, field)}: ${field.meaning}${choicesOf(field)}`);
  return [entry(shown, form.meaning), ...details].join('\n');
}

function entry(form: string, meaning: string): string {
  return `  ${form}\n      ${meaning}`;
}

function argument(name: string, field: FaultField): string {
  const { content, isRequired } = field;
  if (isRequired) return content.type === 'choice' ? content.of.join('|') : name.toUpperCase();
  const value = content.type === 'flag' ? '' : ` ${valueOf(field)}`;
  return `[--${optionName(name)}${value}]`;
}

function valueOf({ content }: FaultField): string {
  switch (content.type) {
    case 'choice':
      return content.of.join('|');
    case 'list':
    case 'choices':
      return 'A,B';
    case 'text':
    case 'flag':
      return 'TEXT';
    case 'number':
    case 'count':
      return 'N';
  }
}

function label(name: string, { isRequired }: FaultField): string {
  return isRequired ? name.toUpperCase() : `--${optionName(name)}`;
}

function choicesOf({ content }: FaultField): string {
  return content.type === 'choices' ? ` (${content.of.join(', ')})` : '';
}
