import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readGatewaySettings } from '../../apps/gateway/src/gateway.config';
import { assembleHost } from '../../apps/gateway/src/terminal-host/assemble-host';
import { ChildProcessRunner } from '../../apps/gateway/src/terminal-host/child-process-runner';
import { type EventFields, type HostEvent } from '../../apps/gateway/src/terminal-host/host-events';
import { type HostLayout, readHostLayout } from '../../apps/gateway/src/terminal-host/host-layout.config';
import { hostOptions } from '../../apps/gateway/src/terminal-host/host-options';
import { type TerminalHost } from '../../apps/gateway/src/terminal-host/terminal-host';
import { HurriedClock } from './hurried-clock';
import { ListLog } from './list-log';

export const LOGIN = 5012345;
export const PASSWORD = 'correct horse=battery;staple';
export const SERVER = 'Acme-Demo';

/** The four core settings. */
export const CORE = {
  TERMINAL_LOGIN: String(LOGIN),
  TERMINAL_PASSWORD: PASSWORD,
  TERMINAL_SERVER: SERVER,
  API_KEY: 'api-key-of-the-test',
} as const;

export interface Deed {
  readonly does: 'nothing' | 'authorise' | 'refuse' | 'exit' | 'update';
  readonly afterMs?: number;
  readonly reason?: string;
  readonly login?: number;
  readonly code?: number;
  /** Does not listen to SIGTERM. */
  readonly deaf?: boolean;
  /** So many requests to close its window have no effect, as before it has one. */
  readonly ignoresCloses?: number;
}
export interface Behaviour {
  readonly byLaunch?: readonly Deed[];
  readonly byServer?: Readonly<Record<string, Deed>>;
  readonly otherwise?: Deed;
}

export interface Launch {
  readonly launch: number;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly pid: number;
  readonly updated: boolean;
  readonly ini: Readonly<Record<string, string>> & { readonly lines?: readonly string[] };
}

/**
 * A host with the very commands of the image, on a machine where `wine` runs stand-in programs. Real processes, real
 * files; the clock runs 25 times as fast, so that a poll of the spec's five seconds takes a fifth of one.
 */
export class HostRig {
  readonly home = mkdtempSync(join(tmpdir(), 'terminal-host-'));
  readonly clock = new HurriedClock(25);
  readonly log = new ListLog(this.clock);
  readonly executable = join(this.home, 'wine/drive_c/Program Files/MetaTrader 5/terminal64.exe');
  readonly startupFile = join(this.home, 'startup', 'startup.ini');
  readonly runner = new ChildProcessRunner();
  session: number | null = null;
  private readonly standIns = join(__dirname, 'stand-in');
  private readonly hosts: TerminalHost[] = [];

  /** `bridge` is the shell command that stands in for the bridge in Windows' Python. */
  constructor(bridge?: string) {
    mkdirSync(join(this.home, 'bin'));
    mkdirSync(dirname(dirname(this.executable)), { recursive: true });
    // Wine's drives: C is the prefix's folder, Z is everything.
    const unix = `sed -e 's#^C:#${this.home}/wine/drive_c#' -e 's#^Z:##' -e 's#\\\\#/#g'`;
    this.script('wine', [
      `if [ "$1" = taskkill ]; then exec kill -USR2 "$(cat '${dirname(this.executable)}/terminal.pid')"; fi`,
      `program=$(printf '%s' "$1" | ${unix})`,
      `shift`,
      `case "$program $1" in`,
      `*python.exe*dismiss_dialogs.py) echo '"LiveUpdate" dismissed'; exec sleep 601 ;;`,
      `*python.exe*) exec ${bridge ?? `'${process.execPath}' '${this.standIns}/bridge.cjs'`} "$@" ;;`,
      `*) exec '${process.execPath}' "$program" "$@" ;;`,
      `esac`,
    ]);
    this.script('wineserver', [`echo "$@" >>'${this.home}/wineserver.txt'`]);
  }

  /** Puts a terminal on disk, as an installer would. */
  installTerminal(behaviour: Behaviour): void {
    mkdirSync(dirname(this.executable), { recursive: true });
    writeFileSync(this.executable, readFileSync(join(this.standIns, 'terminal.cjs')));
    this.behave(behaviour);
  }

  behave(behaviour: Behaviour): void {
    mkdirSync(dirname(this.executable), { recursive: true });
    writeFileSync(this.inHome('behaviour.json'), JSON.stringify(behaviour));
  }

  /** A host made from environment variables, as the gateway makes it. */
  host(env: Readonly<Record<string, string>>): TerminalHost {
    const settings = readGatewaySettings({ TERMINAL_BRIDGE_TOKEN: 'bridge-token-of-the-test', ...env });
    const host = assembleHost(
      { ...hostOptions(settings, this.layout()), displaySocket: join(this.home, 'x/socket') },
      {
        runner: this.runner,
        clock: this.clock,
        log: this.log,
        session: { loggedInAs: () => this.session },
      },
    );
    this.hosts.push(host);
    return host;
  }

  layout(): HostLayout {
    return readHostLayout({
      PATH: `${join(this.home, 'bin')}:${process.env.PATH}`,
      TERMINAL_HOST_HOME: this.home,
      TERMINAL_STARTUP_FOLDER: join(this.home, 'startup'),
      TERMINAL_DESKTOP_SCRIPT: join(this.standIns, 'desktop.sh'),
    });
  }

  /** Everything that stand-ins of the terminal have written down, one entry a launch. */
  launches(): Launch[] {
    return this.records().filter((line): line is Launch => 'launch' in line);
  }

  closedByWindow(): number {
    return this.records().filter((line) => 'closed' in line).length;
  }

  bridges(): { pid: number; token: string; arguments: string[]; environment: Record<string, string> }[] {
    return readJsonLines(join(this.home, 'bridge.jsonl')) as ReturnType<HostRig['bridges']>;
  }

  events(event: HostEvent): EventFields[] {
    return this.log.events(event);
  }

  logged(event: HostEvent, times = 1): Promise<EventFields> {
    return this.log.logged(event, times);
  }

  until(what: string, holds: () => boolean): Promise<void> {
    return this.log.until(what, holds);
  }

  /** What runs of all that a host of this rig has started. */
  processes(): Promise<readonly number[]> {
    return this.runner.find({ program: undefined, env: `TERMINAL_HOST_HOME=${this.home}` });
  }

  /** Ends what the test has started and removes its folder; fails when the stopped host has left a process. */
  async close(): Promise<void> {
    for (const host of this.hosts) await host.stop();
    const left = await this.leftAfter(5_000);
    for (const pid of left) this.runner.signal(pid, 'SIGKILL');
    rmSync(this.home, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`the host left processes behind: ${left.join(', ')}`);
  }

  /** A killed process stays in the list until the kernel has ended it. */
  private async leftAfter(patienceMs: number): Promise<readonly number[]> {
    const until = Date.now() + patienceMs;
    for (;;) {
      const left = await this.processes();
      if (left.length === 0 || Date.now() > until) return left;
      await setTimeout(50);
    }
  }

  private records(): ({ closed: string } | Launch)[] {
    return readJsonLines(this.inHome('launches.jsonl')) as ReturnType<HostRig['records']>;
  }

  private inHome(name: string): string {
    return join(dirname(this.executable), name);
  }

  private script(name: string, lines: readonly string[]): void {
    const path = join(this.home, 'bin', name);
    writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
    chmodSync(path, 0o755);
  }
}

function readJsonLines(path: string): unknown[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
