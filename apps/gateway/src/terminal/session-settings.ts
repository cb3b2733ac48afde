import type { Credentials } from '@libs/terminal-client';
import type { GatewaySettings } from '../gateway.config';
import type { SessionOptions } from '../terminal-session/session-options';

/** The session's part of the settings. */
export function sessionOptions(settings: GatewaySettings): SessionOptions {
  return {
    credentials: credentialsOf(settings),
    expected: { login: settings.TERMINAL_LOGIN, server: settings.TERMINAL_SERVER },
    missingSettings: missingSettings(settings),
    reconnectAttempts: settings.TERMINAL_RECONNECT_ATTEMPTS,
    reconnectBaseDelayMs: settings.TERMINAL_RECONNECT_BASE_DELAY * 1_000,
    cooldownMs: settings.TERMINAL_RECONNECT_COOLDOWN_SECONDS * 1_000,
    cooldownMaxMs: settings.TERMINAL_RECONNECT_COOLDOWN_MAX_SECONDS * 1_000,
    verifyTtlMs: settings.TERMINAL_CONNECTION_VERIFY_TTL_SECONDS * 1_000,
    driver: settings.TERMINAL_DRIVER,
  };
}

/** The core settings that are not set and are needed to log in, by name; without API_KEY, every request is denied. */
export function missingSettings(settings: GatewaySettings): string[] {
  const names = ['TERMINAL_LOGIN', 'TERMINAL_PASSWORD', 'TERMINAL_SERVER', 'API_KEY'] as const;
  const missing = names.filter((name) => !settings[name]);
  const logsItselfIn = settings.TERMINAL_DRIVER === 'simulator' && missing.length >= 3;
  return logsItselfIn ? missing.filter((name) => name === 'API_KEY') : missing;
}

/**
 * Without all four core settings the gateway does not log in. The embedded simulator is its own broker: if no account
 * is configured at all, its account is used.
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
