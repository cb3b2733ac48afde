// `npm run simulate -- --seed 7`: the gateway against a simulated world, on virtual time. See docs/reliability.md.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('./simulation/load-typescript.cjs');
const { simulate } = require('../test/simulation/cli.ts');

process.exitCode = await simulate(process.argv.slice(2));
