import { RecordingError } from '@libs/simulator';
import { StrategyThrewError } from './strategy-threw-error';
import { BacktestRefusedError } from './period';
import { StrategiesRefusedError } from './strategies-refused-error';

/** Errors that end a backtest with a message for its user; any other error is a bug. */
export const backtestErrors = [
  BacktestRefusedError,
  RecordingError,
  StrategiesRefusedError,
  StrategyThrewError,
] as const;
