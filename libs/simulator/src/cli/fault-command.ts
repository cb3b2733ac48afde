import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Fault, FaultKind } from '../session/fault';
import type { FaultField } from '../session/fault-forms';
import { fieldsOf, parseFault, parseFaultKind } from '../session/parse-fault';
import { parseTradingTerms } from '../symbols/trading-terms';
import { FaultCommandError, fieldValue, type NamedField, optionName } from './fault-arguments';

export { FaultCommandError } from './fault-arguments';
export { faultUsage } from './fault-usage';

/** Where the faults are set: in the gateway that wrote its address to a state folder, or in a served simulator. */
export type FaultTarget =
  | { readonly kind: 'gateway'; readonly stateDir?: string }
  | { readonly kind: 'served'; readonly port: number; readonly token?: string };

/** One call of a `sim.*` method of the link. */
export interface FaultCommand {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly target: FaultTarget;
}

interface Parsed {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

const targetOptions = {
  port: { type: 'string' },
  token: { type: 'string' },
  'state-dir': { type: 'string' },
} as const satisfies Options;
const times: NamedField = {
  name: 'times',
  field: { content: { type: 'count' }, meaning: '', isRequired: false },
};
const how: FaultField = {
  content: { type: 'choice', of: ['close-before', 'close-after', 'no-answer'] },
  meaning: '',
  isRequired: true,
};

/** What only a served simulator has. */
const linkMethods: readonly string[] = ['sim.interrupt', 'sim.dropConnections'];

/** The commands beside the faults themselves. */
const otherCommands: Readonly<Record<string, (args: readonly string[]) => FaultCommand>> = {
  list: (args) => plain('sim.listFaults', args),
  clear: (args) => {
    const parsed = parse(args);
    const [kind, ...rest] = parsed.words;
    refuseMore(rest);
    return command('sim.clearFaults', kind === undefined ? [] : [parseFaultKind(kind)], parsed);
  },
  'set-symbol': setSymbol,
  advance,
  interrupt,
  'drop-connections': (args) => plain('sim.dropConnections', args),
  'login-by-hand': (args) => plain('sim.loginByHand', args),
  'feed-status': (args) => plain('sim.feedStatus', args),
};

/**
 * What `npm run simulator:fault -- ...` was asked for; null is the help.
 * @throws FaultCommandError or TypeError naming the argument and its problem
 */
export function readFaultCommand(args: readonly string[]): FaultCommand | null {
  if (args.includes('--help') || args.includes('-h')) return null;
  const [name, ...rest] = args;
  if (name === undefined) throw new FaultCommandError('a command is missing');
  const other = Object.hasOwn(otherCommands, name) ? otherCommands[name] : undefined;
  const read = other ? other(rest) : setFault(kindNamed(name), rest);
  if (linkMethods.includes(read.method) && read.target.kind === 'gateway') {
    throw new FaultCommandError(
      `${name} needs --port: the simulator inside a gateway has no link to break; use drop-before-send, drop-after-send or lose-answer`,
    );
  }
  return read;
}

function kindNamed(name: string): FaultKind {
  try {
    return parseFaultKind(name);
  } catch {
    throw new FaultCommandError(`unknown command "${name}"`);
  }
}

function setFault(kind: FaultKind, args: readonly string[]): FaultCommand {
  const { fault, parsed } = faultIn(kind, args);
  return command('sim.setFault', [fault], parsed);
}

/**
 * A fault as it is written in a command, without the address.
 * @throws FaultCommandError or TypeError naming the argument and its problem
 */
export function readFault(text: string): Fault {
  const [name = '', ...args] = text.trim().split(/\s+/);
  const { fault, parsed } = faultIn(kindNamed(name), args);
  const [target] = Object.keys(targetOptions).filter((option) => parsed.options[option] !== undefined);
  if (target !== undefined) throw new FaultCommandError(`Unknown option '--${target}'`);
  return fault;
}

function faultIn(kind: FaultKind, args: readonly string[]): { readonly fault: Fault; readonly parsed: Parsed } {
  const fields = Object.entries(fieldsOf(kind)).map(([name, field]) => ({ name, field }));
  const inOrder = fields.filter(({ field }) => field.isRequired);
  const optional = fields.filter(({ field }) => !field.isRequired);
  const parsed = parse(args, optional);
  refuseMore(parsed.words.slice(inOrder.length));
  const fault: Record<string, unknown> = { kind };
  inOrder.forEach(({ name, field }, place) => {
    const text = parsed.words[place];
    if (text === undefined) throw new FaultCommandError(`${kind} needs ${name.toUpperCase()}`);
    fault[name] = fieldValue(name.toUpperCase(), field, text);
  });
  for (const { name, field } of optional) {
    const given = parsed.options[optionName(name)];
    if (given !== undefined) fault[name] = fieldValue(`--${optionName(name)}`, field, given);
  }
  return { fault: parseFault(fault), parsed };
}

function setSymbol(args: readonly string[]): FaultCommand {
  const parsed = parse(args);
  const [symbol, ...terms] = parsed.words;
  if (symbol === undefined || terms.length === 0)
    throw new FaultCommandError('set-symbol needs SYMBOL and TERM=NUMBER');
  const changed = Object.fromEntries(terms.map(termOf));
  return command('sim.setSymbol', [symbol, parseTradingTerms(changed)], parsed);
}

function advance(args: readonly string[]): FaultCommand {
  const parsed = parse(args);
  const [ms, ...rest] = parsed.words;
  if (ms === undefined) throw new FaultCommandError('advance needs MS');
  refuseMore(rest);
  return command('sim.advance', [fieldValue('MS', times.field, ms)], parsed);
}

function termOf(text: string): readonly [string, unknown] {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new FaultCommandError(`"${text}" is not TERM=NUMBER`);
  return [name, fieldValue(name, { content: { type: 'number' }, meaning: '', isRequired: true }, value)];
}

function interrupt(args: readonly string[]): FaultCommand {
  const parsed = parse(args, [times]);
  const [method, kind, ...rest] = parsed.words;
  if (method === undefined || kind === undefined) throw new FaultCommandError('interrupt needs METHOD and HOW');
  refuseMore(rest);
  const given = parsed.options['times'];
  const count = given === undefined ? [] : [fieldValue('--times', times.field, given)];
  return command('sim.interrupt', [method, fieldValue('HOW', how, kind), ...count], parsed);
}

function plain(method: string, args: readonly string[]): FaultCommand {
  const parsed = parse(args);
  refuseMore(parsed.words);
  return command(method, [], parsed);
}

/** The arguments of one command. A negative number is not an option, so its sign is hidden from the parser. */
function parse(args: readonly string[], fields: readonly NamedField[] = []): Parsed {
  const own = fields.map(({ name, field }) => [
    optionName(name),
    { type: field.content.type === 'flag' ? ('boolean' as const) : ('string' as const) },
  ]);
  const options: Options = { ...targetOptions, ...(Object.fromEntries(own) as Options) };
  try {
    const hidden = args.map((argument) => argument.replace(/^-(?=[\d.])/, '\u2212'));
    const { values, positionals } = parseArgs({ args: hidden, options, allowPositionals: true });
    const shown = (text: string): string => text.replace(/^\u2212/, '-');
    const entries = Object.entries(values as Parsed['options']);
    return {
      words: positionals.map(shown),
      options: Object.fromEntries(
        entries.map(([name, value]) => [name, typeof value === 'string' ? shown(value) : value]),
      ),
    };
  } catch (error) {
    // The first sentence names the option; the rest explains parseArgs itself.
    const [reason] = String(error).split('. ');
    throw new FaultCommandError(String(reason).replace(/^TypeError[^:]*: /, ''));
  }
}

function refuseMore([word]: readonly string[]): void {
  if (word !== undefined) throw new FaultCommandError(`unexpected argument "${word}"`);
}

function command(method: string, params: readonly unknown[], { options }: Parsed): FaultCommand {
  return { method, params, target: targetOf(options) };
}

function targetOf({ port, token, 'state-dir': stateDir }: Parsed['options']): FaultTarget {
  if (port === undefined) return { kind: 'gateway', ...(typeof stateDir === 'string' ? { stateDir } : {}) };
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    throw new FaultCommandError('--port must be a number from 1 to 65535');
  }
  return { kind: 'served', port: number, ...(typeof token === 'string' ? { token } : {}) };
}
