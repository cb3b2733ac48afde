// `npm run prices`: writes price files of the simulated market, for replays and backtests.
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { relative, resolve } = await import('node:path');
const { parseArgs } = await import('node:util');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');
const { generatedPrices, usualPrices } = await import('./launcher/prices.mjs');

const usage = `Usage: npm run prices -- [SYMBOL ...]    generated one-minute bars of bid and ask, by default ${usualPrices.symbol}
Options: --period P    a year such as 2023, a month or a day of it (${usualPrices.period})
         --seed N      the same seed gives the same bytes (${usualPrices.seed})
         --out DIR     where the files go (.build/prices)`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      period: { type: 'string', default: usualPrices.period },
      seed: { type: 'string', default: String(usualPrices.seed) },
      out: { type: 'string', default: usualPrices.folder },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) console.log(usage);
  else await write(positionals.length > 0 ? positionals : [usualPrices.symbol], values);
} catch (error) {
  console.error(`npm run prices: ${error.message}\n${usage}`);
  process.exitCode = 1;
}

async function write(symbols, { period, seed, out }) {
  if (!/^\d{1,9}$/.test(seed)) throw new Error(`the seed "${seed}" is not a whole number`);
  await installWhatIsMissing();
  for (const symbol of symbols) {
    const paths = await generatedPrices({ symbol, period, seed: Number(seed), folder: resolve(out) });
    for (const path of paths) console.log(relative('', path));
  }
}
