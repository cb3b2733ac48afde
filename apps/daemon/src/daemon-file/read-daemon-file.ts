import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { YAMLParseError, parse } from 'yaml';
import { apiKeyProblem } from './api-key';
import { tradeModes, type DaemonFile, type GatewaySpec } from './daemon-file';
import { FieldReader } from './field-reader';
import { interpolated } from './interpolate';
import { withLines } from './line-of';
import { readPortfolio } from './read-portfolio';
import { readStrategy } from './read-strategy';

/** All that is wrong with the configuration file, at once. */
export class DaemonFileError extends Error {
  constructor(
    file: string,
    readonly problems: readonly string[],
  ) {
    super(`${file}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'DaemonFileError';
  }
}

/**
 * Reads the configuration file. Paths in it are relative to it.
 * @throws DaemonFileError listing every problem
 */
export function readDaemonFile(file: string, env: Readonly<Record<string, string | undefined>>): DaemonFile {
  return readDaemonText({ name: file, text: textOf(file), folder: dirname(resolve(file)) }, env);
}

/** A configuration as YAML. */
export interface DaemonText {
  /** Named by problems. */
  readonly name: string;
  readonly text: string;
  /** Folder that paths in it are relative to. */
  readonly folder: string;
}

/** Reads a configuration. @throws DaemonFileError listing every problem */
export function readDaemonText(
  { name: file, text, folder }: DaemonText,
  env: Readonly<Record<string, string | undefined>>,
): DaemonFile {
  const problems: string[] = [];
  const document = interpolated(parsed(file, text), env, '', problems);
  const reader = new FieldReader(document, '', ['gateways', 'strategies', 'portfolios'], problems);
  const gateways = reader.entries('gateways').map(([name, value]) => readGateway(name, value, env, problems));
  if (gateways.length === 0) reader.problem('gateways', 'must name at least one gateway');
  const brokers = gateways.map(({ name }) => name);
  const strategies = reader
    .list('strategies')
    .map((value, index) => readStrategy(value, `strategies[${index}]`, { folder, brokers, problems }));
  const portfolios = reader
    .list('portfolios')
    .map((value, index) => readPortfolio(value, `portfolios[${index}]`, { folder, brokers, problems }));
  const all = [...strategies, ...portfolios.flatMap(({ children }) => children)];
  checkUnique(
    [...all, ...portfolios.map(({ portfolio }) => portfolio)].map(({ name }) => name),
    'name',
    problems,
  );
  checkUnique(
    all.flatMap(({ magic, streams }) => [...new Set(streams.map(({ broker }) => `${magic} on ${broker}`))]),
    'magic',
    problems,
  );
  if (problems.length > 0) throw new DaemonFileError(file, withLines(text, problems));
  return { gateways, strategies: all, portfolios: portfolios.map(({ portfolio }) => portfolio) };
}

function textOf(file: string): string {
  if (!existsSync(file)) throw new DaemonFileError(file, ['file not found; use --config to name another file']);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new DaemonFileError(file, [String(error)]);
  }
}

function parsed(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const problem = error instanceof YAMLParseError ? error.message.split('\n', 1)[0] : String(error);
    throw new DaemonFileError(file, [problem ?? 'cannot be read']);
  }
}

function readGateway(
  name: string,
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): GatewaySpec {
  const path = `gateways.${name}`;
  const reader = new FieldReader(value, path, ['url', 'apiKeyEnv', 'maxClockSkewSeconds', 'expect'], problems);
  const expect = new FieldReader(reader.mapping('expect'), `${path}.expect`, ['login', 'tradeMode'], problems);
  const url = reader.text('url');
  if (url !== '' && !URL.canParse(url)) reader.problem('url', 'must be a URL such as http://127.0.0.1:5001');
  const apiKeyEnv = reader.text('apiKeyEnv');
  const keyProblem = apiKeyEnv === '' ? null : apiKeyProblem(apiKeyEnv, env);
  if (keyProblem !== null) reader.problem('apiKeyEnv', keyProblem);
  return {
    name,
    url,
    apiKeyEnv,
    maxClockSkewMs: clockSkew(reader.optionalInteger('maxClockSkewSeconds', 86_400)),
    expect: {
      login: expect.optionalInteger('login', Number.MAX_SAFE_INTEGER),
      tradeMode: expect.has('tradeMode') ? expect.oneOf('tradeMode', tradeModes, 'demo') : null,
    },
  };
}

const usualClockSkewSeconds = 60;

/** 0 allows any difference, as for a replay that runs faster than the clock. */
function clockSkew(seconds: number | null): number | null {
  return seconds === 0 ? null : (seconds ?? usualClockSkewSeconds) * 1_000;
}

function checkUnique(values: readonly string[], what: string, problems: string[]): void {
  const twice = values.filter((value, index) => values.indexOf(value) < index);
  for (const value of new Set(twice)) problems.push(`${what} ${value} is used more than once`);
}
