import type { Readable, Writable } from 'node:stream'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'

/** Characters of one message. */
const MOST_CHARS = 32_000_000

/** It wrote a message that cannot be read. */
export class MalformedOutput extends Error {}

/** What the SDK calls a notification that it does not look into: of updates it takes only those that it knows. */
export const UPDATE = 'panoptes/update'

/** Messages by lines, as an agent reads and writes them. Lines that are none, such as a log, are passed over. */
export const messageStream = (input: Writable, output: Readable): Stream => ({
  readable: ReadableStream.from(unchecked(messagesIn(output))),
  writable: new WritableStream<AnyMessage>({
    write: (message) =>
      new Promise((done, fail) => {
        input.write(`${JSON.stringify(message)}\n`, (error) => (error ? fail(error) : done()))
      }),
  }),
})

async function* unchecked(messages: AsyncIterable<AnyMessage>): AsyncGenerator<AnyMessage, undefined> {
  for await (const message of messages)
    yield 'method' in message && message.method === 'session/update'
      ? { ...message, method: UPDATE }
      : message
}

export async function* messagesIn(output: AsyncIterable<Buffer>): AsyncGenerator<AnyMessage, undefined> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let length = 0
  for await (const bytes of output) {
    const lines = decoder.decode(bytes, { stream: true }).split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) {
      const message = messageIn(parts.join('') + line)
      parts = []
      length = 0
      if (message) yield message
    }
    parts.push(last)
    length += last.length
    if (length > MOST_CHARS) throw new MalformedOutput('a message is larger than any may be')
  }
}

function messageIn(line: string): AnyMessage | null {
  if (!/^\s*\{/.test(line)) return null
  try {
    const message = JSON.parse(line) as AnyMessage
    return message.jsonrpc === '2.0' ? message : null
  } catch {
    if (!line.includes('"jsonrpc"')) return null
    throw new MalformedOutput('a message is not JSON')
  }
}
