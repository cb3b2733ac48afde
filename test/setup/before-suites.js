const { give } = require('./temp-folder');
const { seedTests } = require('./tree-seed');

/** What a run of the tests needs before its first suite: a temporary folder, the seed of random tests, and the generated prices in
 * .build/prices. */
module.exports = async () => {
  give();
  seedTests();
  const { generatedPrices } = await import('../../scripts/launcher/prices.mjs');
  await generatedPrices();
};
