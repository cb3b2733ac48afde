import type { Plugin } from 'esbuild';

/** The indicators that come with the daemon: bundled into strategies that import them, or kept by the context of many sets. */
export const indicatorsModule = 'trading-signals';

/** Marks the look-ups of the plugin itself. */
const own = { isOwn: true };

/** Leaves the indicators out of a bundle where they are the daemon's own copy: another version stays a part of the strategy. */
export const keptIndicators: Plugin = {
  name: 'kept-indicators',
  setup: (build) => {
    build.onResolve({ filter: new RegExp(`^${indicatorsModule}$`) }, async ({ path, pluginData, ...from }) => {
      if (pluginData === own) return null;
      const { importer, namespace, resolveDir, kind } = from;
      const asked = { importer, namespace, kind, pluginData: own };
      const found = await build.resolve(path, { ...asked, resolveDir });
      const ours = await build.resolve(path, { ...asked, kind: 'import-statement', resolveDir: __dirname });
      if (found.errors.length > 0 || found.path !== ours.path) return { path: found.path, errors: found.errors };
      return { path, external: true };
    });
  },
};
