import { dirname, sep } from 'node:path';
import { systemErrorText } from '@libs/envelope';
import { SettingsError } from '@libs/settings';
import { FileLockedError, StateDirFolderError, StateDirLockedError } from '@libs/state-lock';
import { StoreOpenError } from '@libs/store';
import type { GatewaySettings } from './gateway.config';
import { NotifierFileError } from './notifier/read-notifier-file';
import { SignalsFileError } from './signals/read-signals-file';

type Paths = Pick<GatewaySettings, 'ORDER_AUDIT_FILE' | 'KILL_SWITCH_FILE' | 'SIM_STATE_FILE' | 'STATE_DIR'>;

type Ports = Pick<GatewaySettings, 'TERMINAL_PROBE_PORT'>;

/** Language errors mean a bug, so their stack is shown. */
const bugs = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'AssertionError', 'EvalError']);

/** The reason why the gateway cannot start: one line with the setting to correct, or the stack of a bug. */
export function startProblem(error: unknown, settings: (Paths & Ports) | null): string {
  if (error instanceof SettingsError || error instanceof NotifierFileError || error instanceof SignalsFileError)
    return error.message;
  if (error instanceof StoreOpenError || error instanceof StateDirFolderError)
    return `${stateDirName(settings)}: ${error.message}`;
  if (error instanceof StateDirLockedError) return `${error.message}. Set STATE_DIR to a folder of its own.`;
  if (error instanceof FileLockedError) return `${error.message}. Set ORDER_AUDIT_FILE to a file of its own.`;
  const { code, path, port, message } = systemErrorOf(error);
  if (code === 'EADDRINUSE') {
    const name =
      port !== undefined && port === settings?.TERMINAL_PROBE_PORT ? 'TERMINAL_PROBE_PORT' : 'TERMINAL_API_PORT';
    return `cannot listen: ${message}. Set ${name} to a free port.`;
  }
  const setting = path === undefined || settings === null ? null : settingOf(path, settings);
  if (setting !== null && path !== undefined) {
    return `${setting} cannot be used: ${systemErrorText(error)}: ${path}. Correct it, or the rights of the folder.`;
  }
  if (settings !== null && (code === 'ENOSPC' || code === 'EDQUOT')) {
    const places = `STATE_DIR (${settings.STATE_DIR}) and of ORDER_AUDIT_FILE (${settings.ORDER_AUDIT_FILE})`;
    return `cannot start: ${systemErrorText(error)}. Free space on the disk of ${places}.`;
  }
  if (!(error instanceof Error)) return `cannot start: ${message}`;
  return bugs.has(error.name) ? (error.stack ?? message) : `cannot start: ${message}`;
}

/** The setting that a path comes from: the longest one that is a prefix of it, or one below it. */
function settingOf(path: string, settings: Paths): keyof Paths | null {
  const names = ['ORDER_AUDIT_FILE', 'KILL_SWITCH_FILE', 'SIM_STATE_FILE', 'STATE_DIR'] as const;
  const exact = names.find((name) => settings[name] === path);
  if (exact !== undefined) return exact;
  const named = names.filter((name) => {
    const value = settings[name];
    return value !== undefined && (path.startsWith(value) || isWithin(value, path));
  });
  return named.sort((a, b) => (settings[b]?.length ?? 0) - (settings[a]?.length ?? 0))[0] ?? null;
}

/** STATE_DIR by the name of the setting that it follows from. */
function stateDirName(settings: Paths | null): string {
  const isDerived = settings !== null && settings.STATE_DIR === dirname(settings.ORDER_AUDIT_FILE);
  return isDerived ? 'ORDER_AUDIT_FILE (its folder is STATE_DIR as well, unless that is set)' : 'STATE_DIR';
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function systemErrorOf(error: unknown): { code?: unknown; path?: string; port?: unknown; message: string } {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const message = 'message' in error ? String(error.message).split('\n', 1).join('') : 'unknown error';
  return {
    message,
    ...('code' in error ? { code: error.code } : {}),
    ...('port' in error ? { port: error.port } : {}),
    ...('path' in error && typeof error.path === 'string' ? { path: error.path } : {}),
  };
}
