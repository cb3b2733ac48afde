import { isIP } from 'node:net';
import { Timeframe, timeframeNames } from '@libs/terminal-client';
import { FileReader, secretSources, yamlFile, type SecretSources } from '../settings/file-reader';
import { levelUnits, sizeUnits, verbs, type Size } from './signal';
import { sequenceKinds, type SignalSource } from './signal-source';

/** All that is wrong with the file of the signals, at once, without the value of a secret. */
export class SignalsFileError extends Error {
  constructor(
    file: string,
    readonly problems: readonly string[],
  ) {
    super(`SIGNALS_FILE ${file}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SignalsFileError';
  }
}

/** What a source can have. */
export const sourceFields = [
  ...['secret_env', 'secret_file', 'magic', 'login', 'fence', 'senders', 'proxies', 'max_per_minute'],
  ...['max_age_seconds', 'max_exit_age_seconds', 'symbols', 'verbs', 'size', 'levels', 'lots_per_unit', 'atr'],
  ...['sequence', 'repeat_seconds', 'max_lots', 'max_open_lots', 'max_risk_percent'],
] as const;

export const acceptableName = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** In the form of X-Fence. */
export const acceptableFence = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127};[1-9]\d{0,15}$/;
/** It may be a part of a path. */
const acceptableSecret = /^[A-Za-z0-9._~-]{16,128}$/;
const daySeconds = 86_400;
const anyLots = 1_000_000;
/** Longer than a sender that gets no answer repeats an alert, and shorter than a bar of a minute. */
const usualRepeatSeconds = 45;

/**
 * Reads the file that SIGNALS_FILE names, and the secrets that it refers to.
 * @throws SignalsFileError listing every problem
 */
export function readSignalsFile(file: string, env: SecretSources['env']): readonly SignalSource[] {
  const problems: string[] = [];
  const content = yamlFile(file, (problem) => {
    throw new SignalsFileError(file, [problem]);
  });
  const reader = new FileReader(content, '', ['sources'], problems);
  const secrets = secretSources(env);
  const sources = Object.entries(reader.mapping('sources')).map(([name, value]) => {
    if (!acceptableName.test(name)) {
      problems.push(`sources.${name} must be 1 to 64 lower-case letters, digits, dashes or underscores`);
    }
    return readSource(name, new FileReader(value, `sources.${name}`, sourceFields, problems), secrets);
  });
  if (sources.length === 0) reader.problem('sources', 'must name at least one source');
  for (const [index, source] of sources.entries()) {
    for (const before of sources.slice(0, index)) problems.push(...sharedBy(source, before));
  }
  if (problems.length > 0) throw new SignalsFileError(file, [...new Set(problems)]);
  return sources;
}

/** What two sources must not share: alerts of two sources about the same positions would be decided side by side. */
function sharedBy({ name, secret, magic, symbols }: SignalSource, other: SignalSource): string[] {
  const shared = [...symbols.values()].find((symbol) => [...other.symbols.values()].includes(symbol));
  return [
    ...(secret !== '' && secret === other.secret ? [`sources.${name} must not have the secret of ${other.name}`] : []),
    ...(shared !== undefined && magic === other.magic
      ? [`sources.${name} must not have the magic of ${other.name}: both trade ${shared}`]
      : []),
  ];
}

function readSource(name: string, reader: FileReader, secrets: SecretSources): SignalSource {
  const secret = reader.secret('secret', secrets);
  if (secret !== '' && !acceptableSecret.test(secret)) {
    reader.problem('secret', 'must have 16 to 128 letters, digits, dots, dashes, underscores or tildes');
  }
  const maxAgeSeconds = reader.number('max_age_seconds', { min: 1, max: daySeconds, fallback: 60 });
  const maxLots = reader.number('max_lots', { min: 0.000_01, max: anyLots });
  return {
    name,
    secret,
    magic: integer(reader, 'magic', 1, Number.MAX_SAFE_INTEGER),
    login: reader.has('login') ? integer(reader, 'login', 1, Number.MAX_SAFE_INTEGER) : null,
    fence: fenceOf(reader),
    senders: reader.has('senders') ? networks(reader, 'senders') : null,
    proxies: networks(reader, 'proxies'),
    maxPerMinute: integer(reader, 'max_per_minute', 1, 100_000, 60),
    maxAgeMs: maxAgeSeconds * 1_000,
    maxExitAgeMs:
      reader.number('max_exit_age_seconds', { min: 1, max: 7 * daySeconds, fallback: Math.max(3_600, maxAgeSeconds) }) *
      1_000,
    symbols: symbolsOf(reader),
    verbs: verbs.filter((verb) => (reader.wordsOf('verbs', verbs) ?? verbs).includes(verb)),
    size: sizeOf(reader),
    levels: reader.oneOf('levels', levelUnits, 'points'),
    lotsPerUnit: reader.number('lots_per_unit', { min: 0.000_000_01, max: anyLots, fallback: 1 }),
    atr: atrOf(reader),
    sequence: reader.oneOf('sequence', sequenceKinds, 'time'),
    repeatMs:
      reader.number('repeat_seconds', { min: 0, max: daySeconds, fallback: usualRepeatSeconds }) * 1_000 || null,
    limits: {
      maxLots,
      maxOpenLots: reader.number('max_open_lots', {
        min: 0.000_01,
        max: anyLots,
        fallback: Math.max(maxLots, 0.000_01),
      }),
      maxRiskPercent: reader.number('max_risk_percent', { min: 0.001, max: 100, fallback: 2 }),
    },
  };
}

function integer(reader: FileReader, name: string, min: number, max: number, fallback?: number): number {
  const value = reader.number(name, fallback === undefined ? { min, max } : { min, max, fallback });
  if (!Number.isSafeInteger(value)) reader.problem(name, 'must be a whole number');
  return value;
}

function fenceOf(reader: FileReader): string | null {
  if (!reader.has('fence')) return null;
  const fence = reader.text('fence');
  if (fence !== '' && !acceptableFence.test(fence)) {
    reader.problem('fence', 'must be the name and the token of a fence, such as "trend;7"');
  }
  return fence;
}

/** Addresses, and networks such as 10.0.0.0/8. */
function networks(reader: FileReader, name: string): readonly string[] {
  const listed = reader.texts(name) ?? [];
  for (const one of listed) {
    const [address = '', bits, ...others] = one.split('/');
    const longest = isIP(address) === 4 ? 32 : 128;
    const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
    if (isIP(address) === 0 || !isNetwork || others.length > 0) {
      reader.problem(name, `has ${one}, which is neither an address nor a network such as 10.0.0.0/8`);
    }
  }
  return listed;
}

function symbolsOf(reader: FileReader): ReadonlyMap<string, string> {
  const symbols = new Map<string, string>();
  for (const [theirs, ours] of Object.entries(reader.mapping('symbols'))) {
    if (typeof ours === 'string' && ours !== '' && !/[\s=]/.test(theirs)) symbols.set(theirs, ours);
    else reader.problem(`symbols.${theirs}`, 'must map a symbol without spaces and = to a symbol of the account');
  }
  if (symbols.size === 0) reader.problem('symbols', "must map at least one of the source's symbols to the account's");
  return symbols;
}

function sizeOf(reader: FileReader): Size | null {
  if (!reader.has('size')) return null;
  const given = reader.mapping('size');
  const [unit, ...others] = sizeUnits.filter((one) => given[one] !== undefined);
  const amount = unit === undefined ? null : given[unit];
  const isOne = others.length === 0 && Object.keys(given).length === 1;
  if (unit !== undefined && isOne && typeof amount === 'number' && amount > 0 && Number.isFinite(amount)) {
    return { unit, amount };
  }
  reader.problem('size', `must have one of ${sizeUnits.join(', ')} with a number above 0`);
  return null;
}

function atrOf(reader: FileReader): SignalSource['atr'] {
  const problems: string[] = [];
  const atr = new FileReader(reader.mapping('atr'), 'atr', ['timeframe', 'period'], problems);
  const timeframe = Timeframe[atr.oneOf('timeframe', timeframeNames, 'H1')];
  const period = integer(atr, 'period', 2, 200, 14);
  for (const problem of problems)
    reader.problem(problem.slice(0, problem.indexOf(' ')), problem.slice(problem.indexOf(' ') + 1));
  return { timeframe, period };
}
