import type { BundleCache } from './bundle-cache';
import type { Bundle } from './strategy-bundler';

/** The text of its file that a strategy runs. What loaded once is started again as it was: another text takes a reload. */
export class StrategyText {
  /** The text that was loaded last; null before any was. */
  loaded: Bundle | null = null;
  private hasTried = false;

  constructor(private readonly bundles: BundleCache) {}

  /** What to load at a start: a file that never loaded is read anew. @throws Error with what is wrong in the file */
  async toLoad(module: string): Promise<Bundle> {
    if (this.loaded) return this.loaded;
    const bundling = this.hasTried ? this.bundles.again(module) : this.bundles.of(module);
    this.hasTried = true;
    return bundling;
  }
}
