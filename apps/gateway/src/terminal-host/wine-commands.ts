import { type HostCommands } from './host-commands';
import { type HostLayout } from './host-layout.config';
import { type Command } from './process-runner';

export interface WineCommandSettings {
  /** TERMINAL_BRIDGE_ADDR, `host:port`. */
  readonly bridgeAddress: string;
  readonly bridgeToken: string | undefined;
  /** CUSTOM_USER and PASSWORD; the desktop script knows the image's own. */
  readonly desktopUser: string | undefined;
  readonly desktopPassword: string | undefined;
}

/** The commands of the terminal image: Windows programs by Wine, secrets by environment only. */
export function wineCommands(layout: HostLayout, settings: WineCommandSettings): HostCommands {
  const own = { TERMINAL_HOST_HOME: layout.home };
  const env = { ...layout.environment, ...own };
  const wine = (...args: string[]): Command => ({ file: 'wine', args, env });
  const port = settings.bridgeAddress.slice(settings.bridgeAddress.lastIndexOf(':') + 1);
  return {
    setup: (setupFile) => wine(setupFile, '/auto'),
    terminal: (executable, startupFile) =>
      wine(executable, '/portable', ...(startupFile === undefined ? [] : [`/config:${windowsPath(startupFile)}`])),
    close: (image) => wine('taskkill', '/IM', image),
    bridge: {
      file: 'wine',
      args: [layout.bridgePython, windowsPath(layout.bridgeScript), '--port', port],
      env: { ...env, ...(settings.bridgeToken === undefined ? {} : { TERMINAL_BRIDGE_TOKEN: settings.bridgeToken }) },
    },
    desktop: layout.desktopScript === '' ? undefined : desktop(layout, settings, env),
    sweep: { file: 'wineserver', args: ['-k'], env },
    mark: `TERMINAL_HOST_HOME=${layout.home}`,
  };
}

function desktop(layout: HostLayout, settings: WineCommandSettings, env: Command['env']): Command {
  return {
    file: layout.desktopScript,
    args: [],
    env: {
      ...env,
      ...(settings.desktopUser === undefined ? {} : { CUSTOM_USER: settings.desktopUser }),
      ...(settings.desktopPassword === undefined ? {} : { PASSWORD: settings.desktopPassword }),
    },
  };
}

/** A path as Windows programs see it: Wine shows the whole file system as drive Z. */
export function windowsPath(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}
