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

/** The commands of the terminal image: Windows programs run in Wine, and secrets are passed by environment only. */
export function wineCommands(layout: HostLayout, settings: WineCommandSettings): HostCommands {
  const own = { TERMINAL_HOST_HOME: layout.home };
  const env = { ...layout.environment, ...own };
  const wine = (...args: string[]): Command => ({ file: 'wine', args, env });
  const seen = (path: string): string => windowsPath(path, layout.winePrefix);
  const port = settings.bridgeAddress.slice(settings.bridgeAddress.lastIndexOf(':') + 1);
  return {
    setup: (setupFile) => wine(seen(setupFile), '/auto'),
    terminal: (executable, startupFile) =>
      wine(seen(executable), '/portable', ...(startupFile === undefined ? [] : [`/config:${seen(startupFile)}`])),
    close: (image) => wine('taskkill', '/IM', image),
    bridge: (executable) => ({
      ...wine(seen(layout.bridgePython), seen(layout.bridgeScript), '--port', port),
      env: {
        ...env,
        TERMINAL_PATH: seen(executable),
        TERMINAL_PORTABLE: '1',
        ...(settings.bridgeToken === undefined ? {} : { TERMINAL_BRIDGE_TOKEN: settings.bridgeToken }),
      },
    }),
    desktop: layout.desktopScript === '' ? undefined : desktop(layout, settings, env),
    dialogs: layout.dialogScript === '' ? undefined : wine(seen(layout.bridgePython), seen(layout.dialogScript)),
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

/** A path as Windows programs see it: the prefix holds drive C, and drive Z is the whole file system. */
export function windowsPath(path: string, winePrefix: string): string {
  const driveC = `${winePrefix}/drive_c/`;
  const seen = path.startsWith(driveC) ? `C:/${path.slice(driveC.length)}` : `Z:${path}`;
  return seen.replaceAll('/', '\\');
}
