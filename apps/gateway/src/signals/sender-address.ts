import { BlockList, isIP } from 'node:net';

/** Whether addresses are in a list of addresses and networks. */
export function addressList(listed: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const one of listed) {
    const [address = '', bits] = one.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (given) => {
    const address = plain(given);
    const kind = isIP(address);
    return kind !== 0 && list.check(address, kind === 4 ? 'ipv4' : 'ipv6');
  };
}

/**
 * The address of the sender: that of the connection, or behind stated proxies the last one in `X-Forwarded-For` that is not a
 * proxy. What a sender writes there itself is further to the left.
 */
export function senderAddress(
  connection: string,
  forwarded: string | undefined,
  isProxy: (address: string) => boolean,
): string {
  const path = [...(forwarded ?? '').split(',').map((one) => one.trim()), connection].filter((one) => one !== '');
  let address = plain(connection);
  for (const one of path.reverse()) {
    address = plain(one);
    if (!isProxy(address)) return address;
  }
  return address;
}

/** An IPv4 address that an IPv6 socket shows, as IPv4. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
