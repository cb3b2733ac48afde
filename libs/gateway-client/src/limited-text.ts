/**
 * The text of an answer. What is longer is not read to its end.
 * @throws Error if the answer has more than `mostBytes`; its connection is closed
 */
export async function textWithin(response: Response, mostBytes: number): Promise<string> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for (let bytes = 0; reader;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > mostBytes) {
      reader.cancel().catch(() => undefined);
      throw new Error(`the answer is larger than ${mostBytes} bytes`);
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}
