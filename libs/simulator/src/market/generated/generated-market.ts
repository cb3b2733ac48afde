import type { SymbolSpec } from '../../symbols/symbol-spec';
import type { TradingHours } from '../../time/trading-hours';
import type { QuoteSource } from '../../quotes/quote-source';
import { AssetPath } from './asset-path';
import type { Assets } from '../../symbols/assets';
import { GeneratedQuotes } from './generated-quotes';
import { MinuteGrid } from './minute-grid';

/**
 * Prices of all symbols from one seed. Every symbol is the ratio of two assets at instants they all share, so direct
 * and crossed prices always agree, and any minute of any year can be made again from the seed alone.
 */
export class GeneratedMarket {
  private readonly grid: MinuteGrid;
  private readonly paths = new Map<string, AssetPath>();

  constructor(
    private readonly seed: number,
    private readonly assets: Assets,
    /** Assets that are not continuous hardly move while their markets are closed. */
    private readonly restsAtWeekends: boolean,
  ) {
    this.grid = new MinuteGrid(seed);
  }

  /** @throws Error for a symbol made of an asset that is not described */
  source(spec: SymbolSpec, hours: TradingHours): QuoteSource {
    return new GeneratedQuotes(
      this.seed,
      spec,
      hours,
      this.grid,
      this.path(spec.market.base),
      this.path(spec.market.quote),
    );
  }

  private path(name: string): AssetPath {
    let path = this.paths.get(name);
    if (!path) {
      const spec = this.assets[name];
      if (!spec) throw new Error(`no asset ${name} is described, so no price can be generated from it`);
      path = new AssetPath(this.seed, name, spec, this.restsAtWeekends && spec.continuous !== true);
      this.paths.set(name, path);
    }
    return path;
  }
}
