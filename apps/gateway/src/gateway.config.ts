import { dirname, resolve } from 'node:path';
import { misspeltSettings, readSettings, type SettingProblem, type SettingsOf } from '@libs/settings';
import { simulatorSettings } from '@libs/simulator';
import { connectionSettings, coreSettings } from './settings/connection.config';
import { limitSettings, otherSettings } from './settings/other.config';
import { processSettings } from './settings/process.config';
import { serverTimeSettings } from './settings/server-time.config';

/** Every setting by topic, in the order of the documentation. */
export const gatewaySettingGroups = [
  { title: 'Core', table: coreSettings },
  { title: 'Connection and resolution', table: connectionSettings },
  { title: 'Server time', table: serverTimeSettings },
  { title: 'Limits', table: limitSettings },
  { title: 'Other', table: otherSettings },
  { title: 'Process, bridge and journal', table: processSettings },
  { title: 'Simulated broker', table: simulatorSettings },
] as const;

const gatewaySettings = {
  ...coreSettings,
  ...connectionSettings,
  ...serverTimeSettings,
  ...limitSettings,
  ...otherSettings,
  ...processSettings,
  ...simulatorSettings,
};

type DeclaredSettings = SettingsOf<typeof gatewaySettings>;

/**
 * The gateway's settings by variable name, each in the unit of its variable. Injectable by {@link GATEWAY_SETTINGS}.
 */
export interface GatewaySettings extends Omit<DeclaredSettings, 'STATE_DIR'> {
  readonly STATE_DIR: string;
}

/** Injection token of {@link GatewaySettings}. */
export const GATEWAY_SETTINGS = Symbol('GATEWAY_SETTINGS');

/**
 * Reads and validates the whole environment.
 * @throws SettingsError listing all problems by variable name, never a value
 */
export function readGatewaySettings(env: Readonly<Record<string, string | undefined>> = process.env): GatewaySettings {
  const settings = readSettings(gatewaySettings, env, (read) => [
    ...faultProblems(read),
    ...keyProblems(read),
    ...pathProblems(read),
    ...misspeltSettings(gatewaySettings, env),
  ]);
  return { ...settings, STATE_DIR: settings.STATE_DIR ?? dirname(settings.ORDER_AUDIT_FILE) };
}

function faultProblems({ SIM_FAULTS, SIM_HABITS, TERMINAL_DRIVER }: Partial<DeclaredSettings>): SettingProblem[] {
  if (TERMINAL_DRIVER === 'simulator') return [];
  const faults = 'must be off unless TERMINAL_DRIVER is simulator: only the simulated broker supports faults';
  const habits = 'must be unset unless TERMINAL_DRIVER is simulator: only the simulated broker has habits that are set';
  return [
    ...(SIM_FAULTS ? [{ name: 'SIM_FAULTS', problem: faults }] : []),
    ...(SIM_HABITS ? [{ name: 'SIM_HABITS', problem: habits }] : []),
  ];
}

/** The release of the kill switch removes its file, and each of the others is written or read by one part alone. */
function pathProblems(settings: Partial<DeclaredSettings>): SettingProblem[] {
  const names = [
    'KILL_SWITCH_FILE',
    'ORDER_AUDIT_FILE',
    'STATE_DIR',
    'SIM_STATE_FILE',
    'NOTIFIER_FILE',
    'SIGNALS_FILE',
  ] as const;
  const paths = names.flatMap((name) => {
    const path = settings[name];
    return path === undefined || path === 'none' ? [] : [{ name, path: resolve(path) }];
  });
  return paths.flatMap(({ name, path }, at) => {
    const other = paths.slice(0, at).find((before) => before.path === path);
    if (other === undefined) return [];
    return [{ name, problem: `must not be the path of ${other.name}` }];
  });
}

/** Two keys that are equal would make the read-only key one that may trade, or a rotation one that changes nothing. */
function keyProblems(settings: Partial<DeclaredSettings>): SettingProblem[] {
  const names = ['API_KEY', 'API_KEY_NEXT', 'API_KEY_READONLY'] as const;
  return names.slice(1).flatMap((name, before) => {
    if (!settings[name]) return [];
    if (!settings.API_KEY) return [{ name, problem: 'must be unset unless API_KEY is valid' }];
    const same = names.slice(0, before + 1).find((other) => settings[other] === settings[name]);
    return same === undefined ? [] : [{ name, problem: `must differ from ${same}` }];
  });
}
