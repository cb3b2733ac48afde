import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** Paths and programs of the machine that runs the terminal; the terminal image overrides these defaults. */
export interface HostLayout {
  /** The host's folder on the data volume: install record, Wine prefix, desktop password. */
  readonly home: string;
  /** Folder of the startup file; in memory if there is such a folder. */
  readonly startupFolder: string;
  readonly winePrefix: string;
  /** Folders below which installers put terminals. */
  readonly programFolders: readonly string[];
  /** Where a terminal that ignores /portable keeps its data. */
  readonly dataFolders: readonly string[];
  readonly bridgePython: string;
  readonly bridgeScript: string;
  /** Starts X server, window manager and web desktop; empty for none. */
  readonly desktopScript: string;
  /** Dismisses dialogs on that desktop; empty for none. */
  readonly dialogScript: string;
  readonly displaySocket: string | undefined;
  /** Environment variables that are passed to children; no secrets. */
  readonly environment: Readonly<Record<string, string>>;
}

const passedOn = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'XDG_RUNTIME_DIR', 'DISPLAY', 'WINEDEBUG'];

/** Reads the layout from the environment. */
export function readHostLayout(env: Readonly<Record<string, string | undefined>> = process.env): HostLayout {
  const home = env.TERMINAL_HOST_HOME || '/config/terminal';
  const winePrefix = env.WINEPREFIX || join(home, 'wine');
  const desktopScript = env.TERMINAL_DESKTOP_SCRIPT ?? '/app/deploy/terminal/desktop.sh';
  const display = env.DISPLAY || ':1';
  const passed = passedOn.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  return {
    home,
    winePrefix,
    startupFolder: env.TERMINAL_STARTUP_FOLDER || '/dev/shm/terminal-startup',
    programFolders: [join(winePrefix, 'drive_c', 'Program Files')],
    dataFolders: [join(winePrefix, 'drive_c', 'users', userInfo().username, 'AppData/Roaming/MetaQuotes/Terminal')],
    bridgePython: env.TERMINAL_BRIDGE_PYTHON || '/opt/python/python.exe',
    bridgeScript: env.TERMINAL_BRIDGE_SCRIPT || '/app/bridge/mt5_bridge.py',
    desktopScript,
    dialogScript: desktopScript === '' ? '' : join(dirname(desktopScript), 'dismiss_dialogs.py'),
    displaySocket: desktopScript === '' ? undefined : `/tmp/.X11-unix/X${display.slice(1)}`,
    environment: {
      DISPLAY: display,
      WINEDEBUG: '-all',
      // No pop-ups of Wine's own about Mono, Gecko and menus.
      WINEDLLOVERRIDES: 'mscoree=;mshtml=;winemenubuilder.exe=d',
      WINEPREFIX: winePrefix,
      ...Object.fromEntries(passed),
    },
  };
}
