import 'reflect-metadata';
import { SettingsError } from '@libs/settings';
import { StateDirFolderError, StateDirLockedError, StateLock } from '@libs/state-lock';
import { StoreOpenError } from '@libs/store';
import { createGateway } from './gateway.app';
import { readGatewaySettings } from './gateway.config';
import { gatewayLogger } from './gateway.logger';

/** Starts the gateway; exit code 1 with every problem named when it cannot. */
async function main(): Promise<void> {
  const settings = readGatewaySettings();
  const logger = gatewayLogger(settings);
  // Held to the end of the process: a second gateway on this journal would not know what the first one sends.
  await StateLock.take(settings.STATE_DIR, 'gateway');
  const app = await createGateway(settings, logger);
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.fatal({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  await app.listen(settings.TERMINAL_API_PORT, settings.TERMINAL_API_HOST);
  logger.info({ url: await app.getUrl(), driver: settings.TERMINAL_DRIVER }, 'gateway is listening');
}

main().catch((error: unknown) => {
  process.stderr.write(`${startProblem(error)}\n`);
  process.exit(1);
});

function startProblem(error: unknown): string {
  if (error instanceof SettingsError) return error.message;
  if (error instanceof StoreOpenError) return `STATE_DIR: ${error.message}`;
  if (error instanceof StateDirFolderError) return `STATE_DIR: ${error.message}`;
  if (error instanceof StateDirLockedError) return `${error.message}. Set STATE_DIR to a folder of its own.`;
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return `cannot listen: ${error.message}. Set TERMINAL_API_PORT to a free port.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
