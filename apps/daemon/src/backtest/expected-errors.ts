import { RecordingError } from '@libs/simulator';
import { StrategyThrewError } from './strategy-threw-error';
import { BacktestRefusedError } from './period';

/** Errors that end a backtest with a message for its user; any other error is a bug. */
export const backtestErrors = [BacktestRefusedError, RecordingError, StrategyThrewError] as const;
