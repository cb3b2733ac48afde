import type { BundleCache } from './bundle-cache';
import type { Bundle } from './strategy-bundler';

/** The source text that a strategy runs. A restart runs the text that loaded before: only a reload takes another one. */
export class StrategyText {
  /** The text that was loaded last; null before any was. */
  loaded: Bundle | null = null;
  private hasTried = false;

  constructor(private readonly bundles: BundleCache) {}

  /** The text to load at a start: a file that never loaded is read again. @throws Error with the problem in the file */
  async toLoad(module: string): Promise<Bundle> {
    if (this.loaded) return this.loaded;
    const bundling = this.hasTried ? this.bundles.again(module) : this.bundles.of(module);
    this.hasTried = true;
    return bundling;
  }
}
