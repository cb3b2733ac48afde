/**
 * The path as the router takes it: without the authority of an absolute form, without the slashes behind an emergency stop,
 * and with letters that are needlessly percent-encoded as themselves.
 */
export function routedUrl(url: string): string {
  return url
    .replace(/^https?:\/\/[^/?]*/, '')
    .replace(/^(\/kill(?:\/release)?)\/+(?=\?|$)/, '$1')
    .replace(/%([2-7][0-9a-f])/gi, (escape, hex: string) => {
      const letter = String.fromCharCode(Number.parseInt(hex, 16));
      return /[\w.~-]/.test(letter) ? letter : escape;
    });
}
