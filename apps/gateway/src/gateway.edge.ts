import { randomUUID } from 'node:crypto';
import { SystemClock, type Clock } from '@libs/clock';
import { machineFiles, type Files } from '@libs/files';
import { lmdbStores, type StoreEngine } from '@libs/store';
import type { TerminalClient } from '@libs/terminal-client';
import type { CoreRecording } from './trade-core/core-recording';

/** Generates a unique id. */
export type NewId = () => string;

/** Injection token of {@link NewId}. */
export const NEW_ID = Symbol('NEW_ID');

/** Injection token of {@link GatewayEdge.terminal}. */
export const EDGE_TERMINAL = Symbol('EDGE_TERMINAL');

/** Injection token of {@link GatewayEdge.recording}. */
export const EDGE_RECORDING = Symbol('EDGE_RECORDING');

/** Everything through which the gateway uses its machine; a simulation replaces all of it. */
export interface GatewayEdge {
  readonly clock: Clock;
  /** The trade journal and the event log. */
  readonly stores: StoreEngine;
  /** The audit log, the kill switch and the last server-time offset. */
  readonly files: Files;
  readonly newId: NewId;
  /** Replaces the terminal that TERMINAL_DRIVER selects; null: no replacement. */
  readonly terminal: TerminalClient | null;
  /** Receives the events of the trade core and their effects; null: none. */
  readonly recording: CoreRecording | null;
}

/** The edge of the real machine. */
export function systemEdge(): GatewayEdge {
  return {
    clock: new SystemClock(),
    stores: lmdbStores,
    files: machineFiles,
    newId: randomUUID,
    terminal: null,
    recording: null,
  };
}
