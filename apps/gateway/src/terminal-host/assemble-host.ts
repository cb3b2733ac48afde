import { existsSync } from 'node:fs';
import { type Clock } from '@libs/clock';
import { HostStanding } from './host-standing';
import { type HostLog } from './host-events';
import { type HostOptions } from './host-options';
import { Installer } from './installer';
import { Journal } from './journal';
import { Lifetime } from './lifetime';
import { LoginLoop } from './login-loop';
import { LoginRounds } from './login-rounds';
import { type Command, type ProcessRunner } from './process-runner';
import { Resolver } from './resolver';
import { type SessionView } from './session-view';
import { SetupRunner } from './setup-runner';
import { type Credentials, StartupFile } from './startup-file';
import { type ProcessEvents, SupervisedProcess } from './supervised-process';
import { TerminalHost } from './terminal-host';
import { TerminalProgram } from './terminal-program';

/** Dependencies of the host. */
export interface HostSurroundings {
  readonly runner: ProcessRunner;
  readonly clock: Clock;
  readonly log: HostLog;
  readonly session: SessionView;
}

/** Time for the X server to start, in half seconds. */
const displayLooks = 40;

/** Builds the host from its options. */
export function assembleHost(options: HostOptions, around: HostSurroundings): TerminalHost {
  const { runner, clock, log, session } = around;
  const { commands } = options;
  const { desktop, dialogs } = commands;
  const lifetime = new Lifetime(clock);
  const standing = new HostStanding(clock);
  const parts = {
    standing,
    installer: assembleInstaller(options, around, lifetime),
    program: new TerminalProgram(
      { command: commands.terminal, close: commands.close, mark: commands.mark },
      runner,
      clock,
      log,
    ),
    startupFile: new StartupFile({ directory: options.startupFolder, algoTrading: options.algoTrading }, runner),
    bridge: supervised(named('bridge'), () => commands.bridge(standing.executable ?? ''), options, around),
    desktop: desktop && supervised(named('desktop'), () => desktop, options, around),
    dialogs: dialogs && supervised(dialogEvents, () => dialogs, options, around),
    session,
    missingSettings: options.missingSettings,
    displayReady: () => fileThere(options.displaySocket, lifetime),
    sweep: async () => {
      if (commands.sweep) await runner.start(commands.sweep).exited;
    },
  };
  const rounds = options.credentials
    ? loginRounds(options.credentials, options, { ...around, ...parts, lifetime })
    : undefined;
  return new TerminalHost({ ...parts, rounds }, clock, log, lifetime);
}

/** Waits for a file to appear, for a limited time: a terminal without its display fails and is launched again. */
async function fileThere(path: string | undefined, lifetime: Lifetime): Promise<void> {
  for (let look = 0; path !== undefined && look < displayLooks && !lifetime.isOver; look++) {
    if (existsSync(path)) return;
    await lifetime.sleep(500);
  }
}

/** Builds the installer of the terminal; also used without the rest of the host, see install-terminal.ts. */
export function assembleInstaller(
  options: HostOptions,
  { runner, clock, log }: Omit<HostSurroundings, 'session'>,
  lifetime: Lifetime,
): Installer {
  const place = { folders: options.programFolders, image: options.image };
  const { setup: command, sweep } = options.commands;
  return new Installer(
    {
      url: options.setupUrl,
      sha256: options.setupSha256,
      attempts: options.setupAttempts,
      timeoutMs: options.setupTimeoutMs,
      directory: options.home,
      place,
    },
    new SetupRunner({ command, place, sweep }, runner, clock, lifetime),
    clock,
    log,
    lifetime,
  );
}

interface LoginParts extends HostSurroundings {
  readonly standing: HostStanding;
  readonly program: TerminalProgram;
  readonly startupFile: StartupFile;
  readonly bridge: SupervisedProcess;
  readonly dialogs: SupervisedProcess | undefined;
  readonly lifetime: Lifetime;
}

function loginRounds(credentials: Credentials, options: HostOptions, parts: LoginParts): LoginRounds {
  const { program, startupFile, bridge, dialogs, session, standing, clock, log, lifetime } = parts;
  const resolver = new Resolver(
    {
      server: credentials.server,
      address: options.serverAddress,
      autoResolve: options.autoResolve,
      urls: options.resolverUrls,
    },
    clock,
    log,
    lifetime,
  );
  const loop = new LoginLoop(
    { credentials, firstTries: options.loginFirstTries, tries: options.loginTries },
    {
      program,
      startupFile,
      journal: new Journal(options.dataFolders),
      session,
      log,
      lifetime,
      dialogs,
      attach: () => bridge.start(),
      beforeStop: () => bridge.stop(),
    },
  );
  return new LoginRounds(credentials.login, resolver, loop, session, standing, log);
}

const dialogEvents: ProcessEvents = {
  started: 'dialog watcher started',
  ended: 'dialog watcher ended',
  said: 'dialog dismissed',
};

function named(name: 'bridge' | 'desktop'): ProcessEvents {
  return { started: `${name} started`, ended: `${name} ended`, said: `${name} said` };
}

function supervised(
  events: ProcessEvents,
  command: () => Command,
  { secrets }: HostOptions,
  { runner, clock, log }: HostSurroundings,
): SupervisedProcess {
  return new SupervisedProcess({ command, events, secrets }, runner, clock, log);
}
