/** fast-check as the tests import it: with the seed of the run, see tree-seed.js. */
const fc = require('../../node_modules/fast-check/lib/cjs/fast-check.js');

const seed = Number(process.env.TEST_SEED);
if (Number.isSafeInteger(seed)) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

module.exports = fc;
