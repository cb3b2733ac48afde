import { createHmac } from 'node:crypto';

/** The header with the time of the attempt and the signature, in the form of Stripe's `Stripe-Signature`. */
export const signatureHeader = 'webhook-signature';

/**
 * `t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<seconds>.<body>`, as Stripe documents it. The time is part of what is signed, so
 * that a receiver can reject an old request that someone sends again.
 */
export function signature(secret: string, seconds: number, body: string): string {
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
}
