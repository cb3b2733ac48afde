import type { INestApplication } from '@nestjs/common';
import { Stopping } from './stopping';

/** Ends readiness and entries at once, whatever the parts of the gateway then wait for, and stops it. */
export async function stopGateway(app: INestApplication): Promise<void> {
  app.get(Stopping, { strict: false }).begin();
  await app.close();
}
