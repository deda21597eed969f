import { closeSync, openSync, readSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import type { Message } from '@panoptes/schema'
import { jsonLinesIn } from '../json-lines.ts'
import type { Listed } from '../port.ts'
import { MAIN } from './agents.ts'
import type { Strays } from './legacy-agent-files.ts'
import { Payments } from './payments.ts'
import type { AgentFile } from './places.ts'
import { Replies } from './replies.ts'
import { toMessage } from './row.ts'

/** Most transcripts are small, so chunks start small and grow for large files. */
const FIRST_CHUNK = 131_072
const MOST_CHUNK = 4_194_304
const NEWLINE = 10

/** Finds messages of a session by their ids. Only lines that contain one of the ids are parsed. */
export async function findMessages(
  strays: Strays,
  { id: session, place }: Listed,
  ids: readonly string[],
  stopped: () => boolean = () => false,
): Promise<readonly Message[]> {
  const wanted = new Set(ids.filter((id) => id !== ''))
  const found: Message[] = []
  try {
    await findIn({ id: MAIN, path: place }, session, wanted, found, stopped)
    if (wanted.size === 0) return found
    for (const file of await strays.findAgentFiles(session, place))
      if (wanted.size > 0 && !stopped()) await findIn(file, session, wanted, found, stopped)
  } catch {
    // What cannot be read now is left out.
  }
  return found
}

/** Finds messages in one file and removes them from `wanted`. */
async function findIn(
  { id: agent, path }: Pick<AgentFile, 'id' | 'path'>,
  session: string,
  wanted: Set<string>,
  found: Message[],
  stopped: () => boolean,
) {
  const replies = new Replies(new Payments())
  const keep = (messages: readonly Message[]) => {
    for (const message of messages) if (wanted.delete(message.id)) found.push(message)
  }
  for await (const each of jsonLinesIn(linesWith(path, [...wanted], stopped))) {
    const message = 'value' in each ? toMessage(each.value, session, agent) : undefined
    if (message === undefined || !wanted.has(message.id)) continue
    keep(replies.take(message))
  }
  // After a stop, the rest of the last reply may be missing, so it is dropped.
  if (!stopped()) keep(replies.end())
}

/**
 * Yields the lines that contain one of the needles. It holds one chunk, or one line, in memory. Chunks are
 * read synchronously, because asynchronous reads take longer than the reading itself.
 */
async function* linesWith(
  path: string,
  ids: readonly string[],
  stopped: () => boolean,
): AsyncGenerator<Buffer> {
  const names = ids.map((id) => Buffer.from(JSON.stringify(id)))
  const file = openSync(path, 'r')
  try {
    let held: Buffer = Buffer.alloc(0)
    for (let position = 0, size = FIRST_CHUNK; ; size = Math.min(MOST_CHUNK, size * 2)) {
      const next = Buffer.allocUnsafe(size)
      const length = readSync(file, next, 0, size, position)
      position += length
      const read = next.subarray(0, length)
      const bytes = held.length === 0 ? read : Buffer.concat([held, read])
      const end = length === 0 ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1
      yield* linesIn(bytes.subarray(0, end), names)
      if (length === 0) return
      held = bytes.subarray(end)
      if (held.length > MOST_LINE || stopped()) return
      if (size === MOST_CHUNK) await turn()
    }
  } finally {
    closeSync(file)
  }
}

/** A full read skips longer lines as well. */
const MOST_LINE = 33_554_432

function* linesIn(bytes: Buffer, names: readonly Buffer[]): Generator<Buffer> {
  const starts = new Set<number>()
  for (const name of names)
    for (let at = bytes.indexOf(name); at >= 0; ) {
      starts.add(bytes.lastIndexOf(NEWLINE, at) + 1)
      const end = bytes.indexOf(NEWLINE, at)
      at = end < 0 ? -1 : bytes.indexOf(name, end)
    }
  for (const start of [...starts].sort((a, b) => a - b)) {
    const end = bytes.indexOf(NEWLINE, start)
    yield bytes.subarray(start, end < 0 ? bytes.length : end + 1)
  }
}
