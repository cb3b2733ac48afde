import type { CoreEffect } from '../core/core-effect';
import type { CoreEventBody } from '../core/core-event';
import { startOf, type CoreState } from '../core/core-state';
import { StrategyCore } from '../core/strategy-core';
import type { StrategyBook } from '../core/strategy-book';
import type { StrategySpec } from '../core/strategy-spec';
import { blankRecord } from '../core/records';
import type { BacktestMarket } from './backtest-market';

/** The one gateway of a backtest. */
export const broker = 'backtest';

const journals = { [broker]: null } as const;

/** The core of the strategy of a backtest: adds the moment to its events. Market time is the only time. */
export class BacktestCore {
  private readonly core: StrategyCore;

  constructor(
    spec: StrategySpec,
    private readonly market: BacktestMarket,
  ) {
    this.core = new StrategyCore(
      startOf({ spec, record: blankRecord(spec.name), tickets: [], stacks: [], kept: null }),
    );
  }

  /** To be read only: events change it. */
  get state(): CoreState {
    return this.core.state;
  }

  get book(): StrategyBook {
    return this.core.state.book;
  }

  /** Delivers an event. @returns its effects, for the caller to perform in this order */
  handle(event: CoreEventBody): readonly CoreEffect[] {
    const { nowMs } = this.market;
    const effects: CoreEffect[] = [];
    this.core.handleAt(event, { nowMs, monotonicMs: nowMs, isStopping: false, journals }, effects);
    return effects;
  }
}
