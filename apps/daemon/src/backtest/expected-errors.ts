import { RecordingError } from '@libs/simulator';
import { StrategyThrewError } from './strategy-threw-error';
import { BacktestRefusedError } from './period';

/** What ends a backtest in words for its user; anything else is a bug. */
export const backtestErrors = [BacktestRefusedError, RecordingError, StrategyThrewError] as const;
