/**
 * What the thread runs first. It runs the bundled entry together with its compiled functions, which `eval` does not take. Frames
 * of the entry keep the name that they have in an evaluated text. A message on the port is answered with the functions that have
 * been compiled by then.
 */
export const threadLoader = `
const { Script } = require('node:vm');
const { thread, compiledPort } = require('node:worker_threads').workerData;
const script = new Script('((require, module, exports) => {' + thread.text + '\\n})', {
  filename: '[worker eval]',
  cachedData: thread.compiled ?? undefined,
});
compiledPort?.once('message', () => compiledPort.postMessage(script.createCachedData()));
script.runInThisContext()(require, module, exports);
`;
