import type { Credentials } from '@libs/terminal-client';
import type { GatewaySettings } from '../gateway.config';
import type { SessionOptions } from '../terminal-session/session-options';

/** The session's part of the settings. */
export function sessionOptions(settings: GatewaySettings): SessionOptions {
  return {
    credentials: credentialsOf(settings),
    expected: { login: settings.TERMINAL_LOGIN, server: settings.TERMINAL_SERVER },
    reconnectAttempts: settings.TERMINAL_RECONNECT_ATTEMPTS,
    reconnectBaseDelayMs: settings.TERMINAL_RECONNECT_BASE_DELAY,
    cooldownMs: settings.TERMINAL_RECONNECT_COOLDOWN_SECONDS,
    cooldownMaxMs: settings.TERMINAL_RECONNECT_COOLDOWN_MAX_SECONDS,
    verifyTtlMs: settings.TERMINAL_CONNECTION_VERIFY_TTL_SECONDS,
    driver: settings.TERMINAL_DRIVER,
  };
}

/** The core settings that are not set and are needed to log in, by name; without API_KEY no request is answered. */
export function missingSettings(settings: GatewaySettings): string[] {
  const names = ['TERMINAL_LOGIN', 'TERMINAL_PASSWORD', 'TERMINAL_SERVER', 'API_KEY'] as const;
  const missing = names.filter((name) => !settings[name]);
  const logsItselfIn = settings.TERMINAL_DRIVER === 'simulator' && missing.length >= 3;
  return logsItselfIn ? missing.filter((name) => name === 'API_KEY') : missing;
}

/**
 * All four core settings, or nobody logs in (spec: What the service does, 2). The embedded simulator is its own broker:
 * where no account is named at all, its account is the one.
 */
function credentialsOf(settings: GatewaySettings): Credentials | null {
  const { TERMINAL_LOGIN: login, TERMINAL_PASSWORD: password, TERMINAL_SERVER: server, API_KEY: apiKey } = settings;
  if (login !== undefined && password && server && apiKey) return { login, password, server };
  const noneNamed = login === undefined && !password && !server;
  if (settings.TERMINAL_DRIVER === 'simulator' && noneNamed) {
    return { login: settings.SIM_LOGIN, password: settings.SIM_PASSWORD, server: settings.SIM_SERVER };
  }
  return null;
}
