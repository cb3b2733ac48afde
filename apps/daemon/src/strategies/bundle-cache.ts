import { bundleStrategy, type Bundle } from './strategy-bundler';

/**
 * Bundles each strategy file once per round for all strategies that use it. A round is a start or a reload of the
 * daemon: all strategies that are deployed in it run the same text of the same file, and the next round sees what has
 * changed.
 */
export class BundleCache {
  private round = new Map<string, Promise<Bundle>>();

  constructor(private readonly bundle: (path: string) => Promise<Bundle> = bundleStrategy) {}

  /** Begins a new round. */
  renew(): void {
    this.round = new Map();
  }

  /** The file as it was first read in this round. @throws Error with file, line and column of each problem */
  of(path: string): Promise<Bundle> {
    return this.round.get(path) ?? this.again(path);
  }

  /** Reads the file once more, for a strategy that could not be loaded from it before. */
  again(path: string): Promise<Bundle> {
    const bundling = this.bundle(path);
    // Callers get the rejection; without a caller, it must not end the process.
    bundling.catch(() => undefined);
    this.round.set(path, bundling);
    return bundling;
  }
}

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
