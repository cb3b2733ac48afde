import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { readSignalsFile, SignalsFileError } from './read-signals-file';
import type { SignalSource } from './signal-source';

/** The sources that SIGNALS_FILE declares, with their secrets, read at the start. */
@Injectable()
export class SignalSources {
  readonly sources: ReadonlyMap<string, SignalSource>;

  /** @throws SignalsFileError, which ends the start */
  constructor(@Inject(GATEWAY_SETTINGS) { SIGNALS_FILE: file, API_KEY }: GatewaySettings) {
    const sources = file === undefined ? [] : readSignalsFile(file, process.env);
    if (file !== undefined && !API_KEY) {
      throw new SignalsFileError(file, [
        'needs API_KEY to be set: signals trade through the routes that the key protects',
      ]);
    }
    this.sources = new Map(sources.map((source) => [source.name, source]));
  }
}
