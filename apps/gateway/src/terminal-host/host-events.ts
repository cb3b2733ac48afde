/**
 * Every event that the headless host logs, by name. They are in one table so that docs/real-terminal.md can explain
 * each of them and a test can find a missing one.
 */
export const hostEvents = {
  'desktop started': 'info',
  'desktop ended': 'warn',
  'terminal present': 'info',
  'terminal missing': 'error',
  'download started': 'info',
  'download progress': 'info',
  'download finished': 'info',
  'download failed': 'warn',
  'checksum mismatch': 'error',
  'installer started': 'info',
  'installer failed': 'warn',
  'installer timed out': 'warn',
  'terminal installed': 'info',
  'resolver answered': 'info',
  'resolver failed': 'warn',
  'login candidates': 'info',
  'running terminal found': 'info',
  'terminal launched': 'info',
  'login attempt refused': 'error',
  'login attempt failed': 'warn',
  'login candidate exhausted': 'warn',
  'terminal restarting itself': 'info',
  'logged in': 'info',
  'retry scheduled': 'warn',
  'login given up': 'error',
  'another account is logged in': 'warn',
  'manual login awaited': 'warn',
  'terminal exited': 'warn',
  'stray terminal ended': 'warn',
  'bridge started': 'info',
  'bridge ended': 'warn',
  'bridge said': 'info',
  'desktop said': 'debug',
  'dialog watcher started': 'debug',
  'dialog watcher ended': 'warn',
  'dialog dismissed': 'warn',
  'startup file left behind': 'warn',
  'host failed': 'error',
  'host stopped': 'info',
} as const satisfies Record<string, 'debug' | 'info' | 'warn' | 'error'>;

export type HostEvent = keyof typeof hostEvents;
export type EventFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Receives the host's progress: the gateway's logger, or a list in a test. */
export abstract class HostLog {
  abstract write(level: 'debug' | 'info' | 'warn' | 'error', event: HostEvent, fields: EventFields): void;

  /** Logs an event at the level that its table gives it. */
  event(event: HostEvent, fields: EventFields = {}): void {
    this.write(hostEvents[event], event, fields);
  }
}
