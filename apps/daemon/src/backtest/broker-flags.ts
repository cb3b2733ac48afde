import { SettingRefused } from '@libs/settings';
import { simulatorSettings } from '@libs/simulator';
import { brokerFlags, type BrokerFlag } from './broker-terms';

/** Why a value of a flag cannot be used; null when it can. */
export function brokerFlagProblem(flag: BrokerFlag, value: string): string | null {
  try {
    simulatorSettings[brokerFlags[flag]].parse(value);
    return null;
  } catch (error) {
    if (!(error instanceof SettingRefused)) throw error;
    return `--${flag} ${error.message}`;
  }
}
