import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the faults of a running gateway are set. */
export interface FaultAddress {
  readonly port: number;
  readonly token: string;
}

const fileName = 'simulator-faults.json';

/** Writes the address so that only the owner of the process can read it. @throws the file system's error */
export function writeFaultAddress(stateDir: string, address: FaultAddress): void {
  // A file that a killed gateway left behind may have another mode.
  removeFaultAddress(stateDir);
  writeFileSync(join(stateDir, fileName), `${JSON.stringify(address)}\n`, { mode: 0o600 });
}

/** Removes the address; without one it does nothing. */
export function removeFaultAddress(stateDir: string): void {
  rmSync(join(stateDir, fileName), { force: true });
}

/** The address that a gateway wrote to its state folder, or null when there is none that can be read. */
export function readFaultAddress(stateDir: string): FaultAddress | null {
  try {
    const { port, token } = JSON.parse(readFileSync(join(stateDir, fileName), 'utf8')) as Partial<FaultAddress>;
    return typeof port === 'number' && typeof token === 'string' ? { port, token } : null;
  } catch {
    return null;
  }
}
