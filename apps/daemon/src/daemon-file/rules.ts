import { allOf } from '@libs/validation';
import { IsArray, IsInt, IsNotEmpty, IsNumber, IsPositive, IsString, Matches, Max, Min } from 'class-validator';
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

/** @param most largest number that is allowed; any when omitted */
export function PositiveNumber(most = Number.MAX_VALUE): PropertyDecorator {
  const message = `must be a number above 0${most === Number.MAX_VALUE ? '' : `, at most ${most}`}`;
  return allOf(IsNumber({}, { message }), IsPositive({ message }), Max(most, { message }));
}

export function Integer(min: number, max: number): PropertyDecorator {
  const message = `must be an integer, ${min} to ${max}`;
  return allOf(IsInt({ message }), Min(min, { message }), Max(max, { message }));
}

/** The labels that a host must have. */
export function HostLabels(): PropertyDecorator {
  const message = `must list labels of ${hostLabelShape}`;
  return allOf(IsArray({ message: 'must be a list' }), Matches(hostLabel, { each: true, message }));
}
