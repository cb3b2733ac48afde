import { readSettings, SettingRefused } from '@libs/settings';
import { simulatorSettings } from '@libs/simulator';
import { brokerFlags, type BrokerFlag } from './broker-terms';

/**
 * Currency of the account of a backtest.
 * @param broker settings of the simulated broker by their names
 * @throws SettingsError if it cannot be used
 */
export function brokerCurrency(broker: Readonly<Record<string, string | undefined>>): string {
  const { SIM_CURRENCY } = simulatorSettings;
  return readSettings({ SIM_CURRENCY }, broker).SIM_CURRENCY;
}

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
