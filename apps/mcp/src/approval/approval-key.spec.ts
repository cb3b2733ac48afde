import { generateKeyPairSync } from 'node:crypto';
import { isSigned, newApprovalKey, signedBy } from './approval-key';

const passphrase = 'a long passphrase';

describe('a key for approvals', () => {
  const { pem, publicKey } = newApprovalKey(passphrase);

  it('signs a text, which its public key proves of this text and no other', () => {
    const { signature, publicKey: own } = signedBy(pem, passphrase, 'BUY 1');
    expect(own).toBe(publicKey);
    const other = newApprovalKey(passphrase).publicKey;
    expect(isSigned('BUY 1', signature, [other, publicKey])).toBe(true);
    expect(isSigned('BUY 1', signature, [other])).toBe(false);
    expect(isSigned('BUY 1', signature, [])).toBe(false);
    expect(isSigned('BUY 10', signature, [publicKey])).toBe(false);
  });

  it.each(['', 'x', 'A'.repeat(88), 'BUY 1'])('takes %j for no signature', (signature) => {
    expect(isSigned('BUY 1', signature, [publicKey, 'A'.repeat(43) + '=', '/'.repeat(43) + '='])).toBe(false);
  });

  it('is of no use without its passphrase, and must have one', () => {
    expect(pem).not.toContain('BEGIN PRIVATE KEY');
    expect(() => signedBy(pem, 'another passphrase', 'x')).toThrow('the passphrase is wrong');
    expect(() => signedBy(pem.slice(0, 120), passphrase, 'x')).toThrow('the passphrase is wrong');
    const open = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => signedBy(open, '', 'x')).toThrow('no key of trading-mcp');
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const encrypted = curve.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }).toString();
    expect(() => signedBy(encrypted, passphrase, 'x')).toThrow('no Ed25519 key');
  });
});
