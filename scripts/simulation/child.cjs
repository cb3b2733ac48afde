// Runs plans that its parent process sends: node child.cjs [PLANTED_BUG]
const { plant } = require('./load-typescript.cjs');

const [bug] = process.argv.slice(2);
if (bug) plant(bug);
require('../../test/simulation/child.ts');
