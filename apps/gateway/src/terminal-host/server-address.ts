/** `host:port`, which the terminal accepts instead of a server name; undefined for anything else. */
export function serverAddress(text: string): string | undefined {
  const match = /^([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?):(\d{1,5})$/i.exec(text.trim());
  const [, host, port] = match ?? [];
  if (host === undefined || port === undefined) return undefined;
  return Number(port) >= 1 && Number(port) <= 65_535 ? `${host.toLowerCase()}:${Number(port)}` : undefined;
}
