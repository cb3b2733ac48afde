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
import { SupervisedProcess } from './supervised-process';
import { TerminalHost } from './terminal-host';
import { TerminalProgram } from './terminal-program';

/** What the host needs from around it. */
export interface HostSurroundings {
  readonly runner: ProcessRunner;
  readonly clock: Clock;
  readonly log: HostLog;
  readonly session: SessionView;
}

/** The terminal is given this long before the bridge looks for it: a bridge that finds none would start a second one. */
const BRIDGE_DELAY_MS = 4_000;

/** Half seconds that the X server gets to come up. */
const DISPLAY_LOOKS = 40;

/** Builds the host from its options. */
export function assembleHost(options: HostOptions, around: HostSurroundings): TerminalHost {
  const { runner, clock, log, session } = around;
  const { commands } = options;
  const { desktop } = commands;
  const lifetime = new Lifetime(clock);
  const standing = new HostStanding(clock);
  const parts = {
    standing,
    installer: installer(options, around, lifetime),
    program: new TerminalProgram(
      { command: commands.terminal, close: commands.close, mark: commands.mark },
      runner,
      clock,
      log,
    ),
    startupFile: new StartupFile({ directory: options.startupFolder, algoTrading: options.algoTrading }, runner),
    bridge: supervised('bridge', () => commands.bridge(standing.executable ?? ''), BRIDGE_DELAY_MS, options, around),
    desktop: desktop && supervised('desktop', () => desktop, 0, options, around),
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

/** Waits for a file to appear, but not for ever: a terminal without its display fails, and is launched again. */
async function fileThere(path: string | undefined, lifetime: Lifetime): Promise<void> {
  for (let look = 0; path !== undefined && look < DISPLAY_LOOKS && !lifetime.isOver; look++) {
    if (existsSync(path)) return;
    await lifetime.sleep(500);
  }
}

function installer(options: HostOptions, { runner, clock, log }: HostSurroundings, lifetime: Lifetime): Installer {
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
  readonly lifetime: Lifetime;
}

function loginRounds(credentials: Credentials, options: HostOptions, parts: LoginParts): LoginRounds {
  const { program, startupFile, bridge, session, standing, clock, log, lifetime } = parts;
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
      onLaunch: () => bridge.start(),
      beforeStop: () => bridge.stop(),
    },
  );
  return new LoginRounds(credentials.login, resolver, loop, session, standing, log);
}

function supervised(
  name: 'bridge' | 'desktop',
  command: () => Command,
  firstDelayMs: number,
  { secrets }: HostOptions,
  { runner, clock, log }: HostSurroundings,
): SupervisedProcess {
  const events = { started: `${name} started`, ended: `${name} ended`, said: `${name} said` } as const;
  return new SupervisedProcess({ command, events, firstDelayMs, secrets }, runner, clock, log);
}
