const { give } = require('./temp-folder');

/** What a run of the tests needs before its first suite: a temporary folder, and the generated prices in .build/prices. */
module.exports = async () => {
  give();
  const { generatedPrices } = await import('../../scripts/launcher/prices.mjs');
  await generatedPrices();
};
