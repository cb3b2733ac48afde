import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { makeFoldersSync } from '@libs/files';
import { daemonFileSchema } from '../daemon-file/read-daemon-file';
import { samplePrices } from '../price-data/sample-prices';

/** A folder that cannot become a strategy's. */
export class ScaffoldError extends Error {}

/** Files of a new folder as they are: beside the sources, and copied beside their translation. */
const templates = join(__dirname, '../../scaffold');
/** The packed SDK, a part of the build. */
const sdkPackage = join(__dirname, '../../../../strategy-sdk');

/**
 * Writes a folder with a strategy, its test, its live configuration, prices, and what an editor and `npm install` need.
 * @returns the absolute path of the folder
 * @throws ScaffoldError when there is a file or a folder that is not empty
 */
export function newStrategy(path: string): string {
  const folder = resolve(path);
  const name = packageName(basename(folder));
  refuseOccupied(folder);
  if (!existsSync(sdkPackage)) throw new ScaffoldError(`${sdkPackage} is missing from this build: run npm run build`);
  makeFoldersSync(join(folder, 'prices'));
  cpSync(templates, folder, { recursive: true });
  cpSync(sdkPackage, join(folder, 'sdk'), { recursive: true });
  const { bid, ask } = samplePrices();
  writeFileSync(join(folder, 'prices/eurusd-bid.csv'), bid);
  writeFileSync(join(folder, 'prices/eurusd-ask.csv'), ask);
  writeFileSync(join(folder, '.gitignore'), 'node_modules/\n');
  writeFileSync(join(folder, 'daemon.yaml'), liveConfiguration(name));
  writeFileSync(join(folder, 'daemon.schema.json'), `${JSON.stringify(daemonFileSchema(), null, 2)}\n`);
  writeJson(join(folder, 'package.json'), manifest(name));
  writeJson(join(folder, 'tsconfig.json'), compiler);
  return folder;
}

function refuseOccupied(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new ScaffoldError(`${folder} is a file: name a new folder`);
  const [first] = readdirSync(folder);
  if (first !== undefined) throw new ScaffoldError(`${folder} is not empty, it has ${first}: name a new folder`);
}

/** @throws ScaffoldError for a name that npm does not accept */
function packageName(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]*$/.test(name)) return name;
  throw new ScaffoldError(
    `the name ${name} must have lowercase letters, digits, ".", "_" and "-" only, and begin with a letter or digit`,
  );
}

/** Uses the same validator as the SDK: two copies would not share their decorators. */
function manifest(name: string): object {
  const { dependencies } = JSON.parse(readFileSync(join(sdkPackage, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const product = JSON.parse(readFileSync(join(__dirname, '../../../../package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const pick = (from: Readonly<Record<string, string>>, names: readonly string[]): object =>
    Object.fromEntries(names.map((of) => [of, from[of]]));
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: { test: 'node --test', types: 'tsc --noEmit' },
    engines: { node: '>=20.19.0' },
    dependencies: {
      '@libs/strategy': 'file:./sdk',
      ...pick(dependencies, ['class-validator']),
      ...pick(product.dependencies, ['trading-signals']),
    },
    devDependencies: pick(product.devDependencies, ['@types/node', 'typescript']),
  };
}

/** Runs the strategy on the gateway of `npm start`, and on no account with real money. */
function liveConfiguration(name: string): string {
  return `# yaml-language-server: $schema=./daemon.schema.json
# Runs the strategy live: start --config daemon.yaml, with the gateway's key in API_KEY.
gateways:
  demo:
    url: http://127.0.0.1:\${TERMINAL_API_PORT:-5001}
    apiKeyEnv: API_KEY
    # Any other account is refused. Replace it when you know what the strategy does.
    expect: { tradeMode: demo }
strategies:
  - name: ${JSON.stringify(name)}
    module: ./strategy.ts
    # The strategy's own number on the account: each strategy needs another one.
    magic: ${magicOf(name)}
    streams: { main: 'demo:EURUSD@M1' }
    capital: 10000
    # Values in place of the defaults in strategy.ts, such as { length: 10 }.
    params: {}
    risk: { maxVolume: 1, maxOpenPositions: 1, maxDailyLoss: 500 }
`;
}

/** A magic number from the name, so that two new strategies rarely share one: six digits, unlike those that ship. */
function magicOf(name: string): number {
  return 100_000 + (createHash('sha256').update(name).digest().readUInt32BE() % 900_000);
}

/** As the daemon translates a strategy file; strict, so that an editor underlines what is wrong. */
const compiler = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    useDefineForClassFields: false,
    noUncheckedIndexedAccess: true,
    allowJs: true,
    checkJs: false,
    types: ['node'],
  },
  include: ['*.ts', '*.mjs'],
};

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
