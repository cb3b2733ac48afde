import { type GatewaySettings } from '../gateway.config';
import { missingSettings } from '../terminal/session-settings';
import { type HostCommands } from './host-commands';
import { type HostLayout } from './host-layout.config';
import { type Credentials } from './startup-file';
import { wineCommands } from './wine-commands';

/** Options of the host. Durations in milliseconds. */
export interface HostOptions {
  /** Null while one of the four core settings is not set. */
  readonly credentials: Credentials | null;
  /** The core settings that are not set, by name. */
  readonly missingSettings: readonly string[];
  readonly algoTrading: boolean;
  readonly serverAddress: string | undefined;
  readonly autoResolve: boolean;
  readonly resolverUrls: readonly string[];
  readonly setupUrl: string | undefined;
  readonly setupSha256: string | undefined;
  readonly setupAttempts: number;
  readonly setupTimeoutMs: number;
  readonly loginFirstTries: number;
  readonly loginTries: number;
  readonly image: string;
  readonly programFolders: readonly string[];
  /** Folders that hold data folders of terminals which do not keep their data beside the program. */
  readonly dataFolders: readonly string[];
  readonly home: string;
  readonly startupFolder: string;
  /** The X server's socket, which a terminal with a window waits for; undefined if the host starts no desktop. */
  readonly displaySocket: string | undefined;
  readonly commands: HostCommands;
  /** Secrets that are removed from the lines of children before they are logged. */
  readonly secrets: readonly string[];
}

/** Builds the host's options from the gateway's settings and the machine's layout. */
export function hostOptions(settings: GatewaySettings, layout: HostLayout): HostOptions {
  const { TERMINAL_LOGIN: login, TERMINAL_PASSWORD: password, TERMINAL_SERVER: server, API_KEY } = settings;
  const complete = login !== undefined && password !== undefined && server !== undefined && API_KEY !== undefined;
  return {
    credentials: complete ? { login, password, server } : null,
    missingSettings: missingSettings(settings),
    algoTrading: settings.TERMINAL_ENABLE_ALGO_TRADING,
    serverAddress: settings.TERMINAL_SERVER_ADDR,
    autoResolve: settings.TERMINAL_AUTORESOLVE,
    resolverUrls: settings.TERMINAL_RESOLVER_URL,
    setupUrl: settings.TERMINAL_SETUP_URL,
    setupSha256: settings.TERMINAL_SETUP_SHA256,
    setupAttempts: settings.TERMINAL_SETUP_ATTEMPTS,
    setupTimeoutMs: settings.TERMINAL_SETUP_TIMEOUT * 1_000,
    loginFirstTries: settings.TERMINAL_LOGIN_FIRST_TRIES,
    loginTries: settings.TERMINAL_LOGIN_TRIES,
    image: 'terminal64.exe',
    programFolders: layout.programFolders,
    dataFolders: layout.dataFolders,
    home: layout.home,
    startupFolder: layout.startupFolder,
    displaySocket: layout.displaySocket,
    commands: wineCommands(layout, {
      bridgeAddress: settings.TERMINAL_BRIDGE_ADDR,
      bridgeToken: settings.TERMINAL_BRIDGE_TOKEN,
      desktopUser: settings.CUSTOM_USER,
      desktopPassword: settings.PASSWORD,
    }),
    secrets: [
      password,
      API_KEY,
      settings.API_KEY_NEXT,
      settings.API_KEY_READONLY,
      settings.TERMINAL_BRIDGE_TOKEN,
      settings.PASSWORD,
    ].filter((secret) => secret !== undefined),
  };
}
