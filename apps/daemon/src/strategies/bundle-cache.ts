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
