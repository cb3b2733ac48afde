import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import type { NotifierFile } from './notifier-file';
import { readNotifierFile } from './read-notifier-file';

/** The file that NOTIFIER_FILE names, and the secrets that it refers to, read at the start. */
@Injectable()
export class NotifiedFile {
  /** Null without NOTIFIER_FILE. */
  readonly file: NotifierFile | null;

  /** @throws NotifierFileError, which ends the start */
  constructor(@Inject(GATEWAY_SETTINGS) { NOTIFIER_FILE }: GatewaySettings) {
    this.file = NOTIFIER_FILE === undefined ? null : readNotifierFile(NOTIFIER_FILE, process.env);
  }
}
