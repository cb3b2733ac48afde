import type { FastifyRequest } from 'fastify';

/** Media type of packed rows. A client that accepts it gets them instead of JSON. */
export const packedRowsType = 'application/octet-stream';

/** Whether a request asks for packed rows. */
export function wantsPackedRows({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.accept?.includes(packedRowsType) ?? false;
}
