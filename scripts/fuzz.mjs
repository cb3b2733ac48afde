// `npm run fuzz -- --seed 7`: valid, nearly valid and hostile requests to both programs. See docs/reliability.md.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('./simulation/load-typescript.cjs');
const { fuzz } = require('../test/fuzz/cli.ts');

process.exitCode = await fuzz(process.argv.slice(2));
