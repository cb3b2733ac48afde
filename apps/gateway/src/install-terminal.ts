import { SystemClock } from '@libs/clock';
import { readGatewaySettings } from './gateway.config';
import { assembleInstaller } from './terminal-host/assemble-host';
import { ChildProcessRunner } from './terminal-host/child-process-runner';
import { type EventFields, type HostEvent, HostLog } from './terminal-host/host-events';
import { readHostLayout } from './terminal-host/host-layout.config';
import { hostOptions } from './terminal-host/host-options';
import { Lifetime } from './terminal-host/lifetime';

/** The host's log lines on standard output, in the gateway's format. */
class PrintedLog extends HostLog {
  write(level: string, event: HostEvent, fields: EventFields): void {
    console.log(JSON.stringify({ level, msg: event, ...fields }));
  }
}

/**
 * Only installs the terminal, for an image that contains one: by TERMINAL_SETUP_URL and TERMINAL_SETUP_SHA256, into
 * WINEPREFIX. The exit code is 1 if there is no terminal afterwards.
 */
async function main(): Promise<void> {
  const clock = new SystemClock();
  const around = { runner: new ChildProcessRunner(), clock, log: new PrintedLog() };
  const options = hostOptions(readGatewaySettings(), readHostLayout());
  const outcome = await assembleInstaller(options, around, new Lifetime(clock)).ensure();
  process.exitCode = outcome.kind === 'present' ? 0 : 1;
}

void main();
