// Most changes are noticed by the spec of their file, so that the property tests need not run.
const { statSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

module.exports = class extends Sequencer {
  sort(tests) {
    const size = new Map(tests.map(({ path }) => [path, statSync(path).size]));
    return [...tests].sort((a, b) => size.get(a.path) - size.get(b.path));
  }
};
