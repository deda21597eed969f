import type { Readable, Writable } from 'node:stream'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { parseJson } from '@panoptes/schema/json'

/** The maximum number of characters of one message. */
const MOST_CHARS = 32_000_000

/** The agent wrote a message that cannot be parsed. */
export class MalformedOutput extends Error {}

/**
 * A method name the SDK does not validate, because for known update methods it drops update kinds
 * it does not know.
 */
export const UPDATE = 'panoptes/update'

/**
 * Reads and writes messages line by line. Lines that are not messages, such as logs, are skipped.
 */
export const createMessageStream = (input: Writable, output: Readable): Stream => ({
  readable: ReadableStream.from(renameUpdates(readMessages(output))),
  writable: new WritableStream<AnyMessage>({
    write: (message) =>
      new Promise((done, fail) => {
        input.write(`${JSON.stringify(message)}\n`, (error) => (error ? fail(error) : done()))
      }),
  }),
})

async function* renameUpdates(messages: AsyncIterable<AnyMessage>): AsyncGenerator<AnyMessage, undefined> {
  for await (const message of messages)
    yield 'method' in message && message.method === 'session/update'
      ? { ...message, method: UPDATE }
      : message
}

export async function* readMessages(output: AsyncIterable<Buffer>): AsyncGenerator<AnyMessage, undefined> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let length = 0
  for await (const bytes of output) {
    const lines = decoder.decode(bytes, { stream: true }).split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) {
      const message = parseMessage(parts.join('') + line)
      parts = []
      length = 0
      if (message) yield message
    }
    parts.push(last)
    length += last.length
    if (length > MOST_CHARS) throw new MalformedOutput('a message is too large')
  }
}

function parseMessage(line: string): AnyMessage | null {
  if (!/^\s*\{/.test(line)) return null
  try {
    const message = parseJson(line) as AnyMessage
    return message.jsonrpc === '2.0' ? message : null
  } catch {
    if (!line.includes('"jsonrpc"')) return null
    throw new MalformedOutput('a message is not JSON')
  }
}
