import type { Plugin } from 'esbuild';

const namespace = 'late-validators';

/**
 * Leaves the packages behind most string rules of class-validator out of a bundle: they are four fifths of it, and few
 * strategies use one. A rule loads its package when it is checked for the first time. `workerData.packages` of the thread
 * is the file whose imports they are.
 */
export const lateValidators: Plugin = {
  name: namespace,
  setup: (build) => {
    build.onResolve({ filter: /^(validator|libphonenumber-js)(\/|$)/ }, ({ path }) => ({ path, namespace }));
    build.onLoad({ filter: /^/, namespace }, ({ path }) => ({ contents: lateModule(path), loader: 'js' }));
  },
};

/** A module with functions of the same names. An import of any other name fails the build. */
function lateModule(path: string): string {
  const telephones = path.startsWith('libphonenumber-js');
  const call = telephones
    ? 'export const parsePhoneNumber = (...given) => loaded().parsePhoneNumber(...given);'
    : 'export default (...given) => loaded().default(...given);';
  return `import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
const loaded = () => createRequire(workerData.packages)(${JSON.stringify(path)});
${call}
`;
}
