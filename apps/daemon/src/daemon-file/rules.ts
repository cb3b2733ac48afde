import { allOf, Optional, Says } from '@libs/validation';
import { IsArray, IsNotEmpty, IsString, Matches } from 'class-validator';
import { hostLabel, hostLabelShape } from './host-labels';

export function Text(): PropertyDecorator {
  const message = 'must be a non-empty string';
  return allOf(IsString({ message }), IsNotEmpty({ message }));
}

/** Names stand in paths of the control port and of log files. */
export function Name(): PropertyDecorator {
  const message = 'must have 1 to 64 letters, digits, dots, dashes or underscores';
  return allOf(Text(), Matches(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, { message }));
}

/** The labels that a host must have. */
export function HostLabels(): PropertyDecorator {
  const message = `must list labels of ${hostLabelShape}`;
  return allOf(
    Says('Labels that a host of the fleet must have'),
    Optional(),
    IsArray({ message: 'must be a list' }),
    Matches(hostLabel, { each: true, message }),
  );
}

/** The report of a backtest. */
export function BacktestReport(): PropertyDecorator {
  return allOf(
    Says('Report of `daemon backtest --out FILE` to show beside it, relative to this file'),
    Optional(),
    Text(),
  );
}
