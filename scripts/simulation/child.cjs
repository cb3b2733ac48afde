// Runs one plan: node child.cjs PLAN.json KEPT_LINES [PLANTED_BUG]
const { plant } = require('./load-typescript.cjs');

const [bug] = process.argv.slice(4);
if (bug) plant(bug);
require('../../test/simulation/child.ts');
