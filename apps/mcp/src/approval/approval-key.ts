import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';

/** A private key that cannot be used as it is. Nothing was approved. */
export class ApprovalKeyError extends Error {}

/** In characters: its file may be copied, and then be tried for long. */
export const shortestPassphrase = 12;
const encrypted = '-----BEGIN ENCRYPTED PRIVATE KEY-----';

/** A new key for approvals. @returns its file, and the public key for `approval_keys` */
export function newApprovalKey(passphrase: string): { readonly pem: string; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase });
  return { pem: pem.toString(), publicKey: textOf(publicKey) };
}

/** Signs a text. @returns the signature and the public key, both in Base64. @throws ApprovalKeyError */
export function signedBy(pem: string, passphrase: string, text: string): { signature: string; publicKey: string } {
  if (!pem.startsWith(encrypted)) throw new ApprovalKeyError('the file is no key of trading-mcp approval-key');
  const key = privateKeyOf(pem, passphrase);
  return { signature: sign(null, Buffer.from(text), key).toString('base64'), publicKey: textOf(createPublicKey(key)) };
}

/** Whether one of the public keys signed exactly this text. */
export function isSigned(text: string, signature: string, publicKeys: readonly string[]): boolean {
  const bytes = Buffer.from(signature, 'base64');
  return publicKeys.some((publicKey) => {
    try {
      return verify(null, Buffer.from(text), publicKeyOf(publicKey), bytes);
    } catch {
      // No point of the curve, so nobody has its private key.
      return false;
    }
  });
}

function privateKeyOf(pem: string, passphrase: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, passphrase });
  } catch {
    throw new ApprovalKeyError('the passphrase is wrong, or the file is damaged');
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new ApprovalKeyError('the key is no Ed25519 key');
  return key;
}

function textOf(key: KeyObject): string {
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
}

function publicKeyOf(text: string): KeyObject {
  const x = Buffer.from(text, 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
