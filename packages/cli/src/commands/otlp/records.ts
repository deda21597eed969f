import type { SessionRecord } from '@panoptes/engine/sources'
import type { Message, Session, SessionAgent } from '@panoptes/schema'

const NEWLINE = 10

/** The records of a session that is written as JSON lines; secrets are out of it already. */
export async function* recordsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SessionRecord> {
  for await (const line of linesOf(bytes)) {
    const { type, ...told } = JSON.parse(line) as { readonly type: string }
    if (type === 'session') yield { kind: 'session', session: told as unknown as Session }
    else if (type === 'agent') yield { kind: 'agent', agent: told as unknown as SessionAgent }
    else if (type === 'message') yield { kind: 'message', message: told as unknown as Message }
  }
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  for await (const chunk of bytes) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8')
      parts = []
      from = at + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  }
  const last = Buffer.concat(parts).toString('utf8')
  if (last !== '') yield last
}
