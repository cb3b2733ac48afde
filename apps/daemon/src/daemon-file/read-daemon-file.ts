import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileText, webAddressProblem } from '@libs/settings';
import { requireYamlSize, yamlOf } from '@libs/settings/yaml-text';
import {
  checked,
  Integer,
  jsonSchemaOf,
  ListOf,
  Mapping,
  Optional,
  Says,
  ValuesOf,
  PositiveNumber,
} from '@libs/validation';
import { IsIn, IsNotEmptyObject, ArrayNotEmpty } from 'class-validator';
import { apiKeyProblem } from './api-key';
import { tradeModes, type DaemonFile, type GatewaySpec, type TradeMode } from './daemon-file';
import { DaemonFileError } from './daemon-file-error';
import { withLines } from './line-of';
import {
  StrategyEntry,
  strategyOf,
  ChildEntry,
  childOf,
  backtestOf,
  LossLimitsEntry,
  type Surroundings,
} from './read-strategy';
import { BacktestReport, HostLabels, Name, Text } from './rules';
import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';

class ExpectEntry {
  @Says('Number of the account')
  @Optional()
  @Integer(0, Number.MAX_SAFE_INTEGER)
  login: number | null = null;
  @Says('Kind of the account')
  @Optional()
  @IsIn(tradeModes, { message: `must be one of ${tradeModes.join(', ')}` })
  tradeMode: TradeMode | null = null;
}

/** A gateway, as the file has it. */
class GatewayEntry {
  @Says('Address of the gateway, such as http://127.0.0.1:5001')
  @Text()
  url = '';

  @Says("Environment variable with the gateway's key, not the key itself")
  @Text()
  apiKeyEnv = '';

  @Says(
    "Largest difference of the broker's clock, 60 by default; 0 permits any, for a simulated broker that runs faster than the clock",
  )
  @Optional()
  @Integer(0, 3_600)
  maxClockSkewSeconds: number | null = null;

  @Says('The account that the gateway must have: with another one, no strategy trades there')
  @Optional()
  @Mapping(ExpectEntry)
  expect = new ExpectEntry();
}

/** A portfolio, as the file has it: several strategies that share a capital by weight, and its limits. */
class PortfolioEntry {
  @Says('Name of the portfolio; its children are portfolio/alias')
  @Name()
  name = '';

  @Says('Money that its children share by weight')
  @PositiveNumber()
  capital = 0;

  @Says('Limits of all children together; a limit that is left out does not apply')
  @Optional()
  @Mapping(LossLimitsEntry)
  risk = new LossLimitsEntry();

  @HostLabels()
  runsOn: string[] = [];

  @BacktestReport()
  backtest: string | null = null;

  @Says('Its strategies; their weights are at most 1 in total')
  @ArrayNotEmpty({ message: 'must have at least one child' })
  @ListOf(ChildEntry)
  @Optional()
  children: ChildEntry[] = [];
}

/** The file; {@link GatewayEntry} has the members of each gateway. */
class FileEntry {
  @Says('Gateways by a name of your choice, which streams name')
  @ValuesOf(GatewayEntry)
  @IsNotEmptyObject({}, { message: 'must name at least one gateway' })
  @Mapping()
  @Optional()
  gateways: Record<string, unknown> = {};
  @Says('Strategies with a capital of their own')
  @Optional()
  @ListOf(StrategyEntry)
  strategies: StrategyEntry[] = [];
  @Says('Groups of strategies that share a capital and limits')
  @Optional()
  @ListOf(PortfolioEntry)
  portfolios: PortfolioEntry[] = [];
}

/** The JSON Schema of the configuration file, by which an editor completes it and underlines what is wrong. */
export function daemonFileSchema(): object {
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Configuration', ...jsonSchemaOf(FileEntry) };
}

/**
 * Reads the configuration file. Paths in it are relative to it.
 * @throws DaemonFileError listing every problem
 */
export function readDaemonFile(file: string, env: Readonly<Record<string, string | undefined>>): DaemonFile {
  return readDaemonText({ name: file, text: configurationText(file), folder: dirname(resolve(file)) }, env);
}

/** A configuration as YAML. */
interface DaemonText {
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
  const entry = noted(FileEntry, interpolated(parsed(file, text), env, '', problems), '', problems);
  const gateways = Object.entries(entry.gateways).map(([name, value]) => readGateway(name, value, env, problems));
  const around = { folder, brokers: gateways.map(({ name }) => name), problems };
  const strategies = entry.strategies.map((each, index) => strategyOf(each, `strategies[${index}]`, around));
  const portfolios = entry.portfolios.map((each, index) => portfolioOf(each, `portfolios[${index}]`, around));
  const all = [...strategies, ...portfolios.flatMap(({ children }) => children)];
  // A name or a magic that was refused is empty or 0, which says nothing about the others.
  const names = [...all, ...portfolios.map(({ portfolio }) => portfolio)].map(({ name }) => name);
  checkUnique(
    names.filter((name) => !/(^|\/)$/.test(name)),
    'name',
    problems,
  );
  const magics = all
    .filter(({ magic }) => magic !== 0)
    .flatMap(({ magic, streams }) => [...new Set(streams.map(({ broker }) => `${magic} on ${broker}`))]);
  checkUnique(magics, 'magic', problems);
  if (problems.length > 0) throw new DaemonFileError(file, withLines(text, problems));
  return { gateways, strategies: all, portfolios: portfolios.map(({ portfolio }) => portfolio) };
}

/**
 * @param remedy what names another file, for commands that have such a flag
 * @throws DaemonFileError for a file that cannot be read, or is too large to be a configuration
 */
export function configurationText(file: string, remedy = '; use --config to name another file'): string {
  if (!existsSync(file)) throw new DaemonFileError(file, [`file not found${remedy}`]);
  try {
    requireYamlSize(statSync(file).size);
    return fileText(file);
  } catch (error) {
    throw new DaemonFileError(file, [error instanceof Error ? error.message : String(error)]);
  }
}

function parsed(file: string, text: string): unknown {
  try {
    return yamlOf(text);
  } catch (error) {
    throw new DaemonFileError(file, [error instanceof Error ? error.message : String(error)]);
  }
}

/** A part of the file as its class; its problems are noted by their paths in the file. */
function noted<Entry extends object>(type: new () => Entry, plain: unknown, at: string, problems: string[]): Entry {
  const { value, problems: found } = checked(type, plain);
  problems.push(
    ...found.map(({ path, problem }) => `${[at, path].filter((part) => part !== '').join('.')} ${problem}`.trim()),
  );
  return value;
}

function readGateway(
  name: string,
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): GatewaySpec {
  const path = `gateways.${name}`;
  const { url, apiKeyEnv, maxClockSkewSeconds, expect } = noted(GatewayEntry, value, path, problems);
  const urlProblem = url === '' ? null : webAddressProblem(url);
  if (urlProblem !== null) problems.push(`${path}.url ${urlProblem}`);
  const keyProblem = apiKeyEnv === '' ? null : apiKeyProblem(apiKeyEnv, env);
  if (keyProblem !== null) problems.push(`${path}.apiKeyEnv ${keyProblem}`);
  return { name, url, apiKeyEnv, maxClockSkewMs: clockSkew(maxClockSkewSeconds), expect: { ...expect } };
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

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every text of a document from the environment, so that one file serves
 * several machines. Secrets do not belong here: the file names the variable that holds them instead.
 */
export function interpolated(value: unknown, env: Environment, path: string, problems: string[]): unknown {
  if (typeof value === 'string') return replaced(value, env, path, problems);
  if (Array.isArray(value)) return value.map((item, index) => interpolated(item, env, `${path}[${index}]`, problems));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      interpolated(item, env, path === '' ? name : `${path}.${name}`, problems),
    ]),
  );
}

function replaced(text: string, env: Environment, path: string, problems: string[]): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_all, name: string, fallback?: string) => {
    const value = env[name] || fallback;
    if (value === undefined) problems.push(`${path} needs the environment variable ${name}, which is not set`);
    return value ?? '';
  });
}

interface PortfolioWithChildren {
  readonly portfolio: PortfolioSpec;
  readonly children: readonly StrategySpec[];
}

function portfolioOf(entry: PortfolioEntry, path: string, around: Surroundings): PortfolioWithChildren {
  const { name, capital, risk, backtest } = entry;
  const weights = entry.children.reduce((sum, { weight }) => sum + weight, 0);
  if (weights > 1 + 1e-9) {
    around.problems.push(`${path}.children have weights of ${weights} in total; the sum must be at most 1`);
  }
  const children = entry.children.map((child, index) => childOf(child, `${path}.children[${index}]`, around, entry));
  const names = children.map((child) => child.name);
  const report = backtestOf(backtest, around.folder);
  return { portfolio: { name, capital, risk: { ...risk }, children: names, ...report }, children };
}
