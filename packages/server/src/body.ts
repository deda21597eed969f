import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type Refusal, tooLarge, tryAgain } from './problem.ts'
import { createRoom } from './room.ts'

const inflate = promisify(gunzip)

/** Bodies under way: small ones never wait behind large ones. What they hold is held until they are answered. */
const SMALL = 1_048_576
const LIMITS = { patienceMs: 10_000, waiting: 256 }
const small = createRoom(16 * SMALL, LIMITS)
const large = createRoom(32 * SMALL, LIMITS)

/** Whoever shows no token takes no room of those who do, and has less time. */
const strangers = createRoom(32 * SMALL, LIMITS)
const STRANGERS_MS = 10_000

const askers = new WeakMap<IncomingMessage, string | null>()

/** Says whose a body is that may come: nobody in a team takes all the room; null is somebody who shows nothing. */
export const bodyIsOf = (incoming: IncomingMessage, who: string | null): void => {
  askers.set(incoming, who)
}

/** What a body in gzip says it inflates to: it then takes no more room than that. */
const INFLATED_HEADER = 'x-inflated-length'

/** Nothing that gzip wrote is larger than this many times itself. */
const MOST_INFLATED = 1_032

type Read = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly refusal: Refusal }

/** Has the text of a body used. */
export const withBody = <T>(
  incoming: IncomingMessage,
  limit: number,
  use: (text: string) => T | Promise<T>,
): Promise<T | Refusal> =>
  withBytes(incoming, limit, async (bytes) => {
    await othersFirst(bytes.length)
    const text = bytes.toString('utf8')
    await othersFirst(bytes.length)
    return use(text)
  })

/** Each thing that is done with all of a large body takes its time: whoever else waits has a turn in between. */
export const othersFirst = async (size: number): Promise<void> => {
  if (size > SMALL) await setImmediate()
}

/** Has a body used, inflated where it is gzip; neither the one nor the other may be over the limit. */
export async function withBytes<T>(
  incoming: IncomingMessage,
  limit: number,
  use: (bytes: Buffer) => T | Promise<T>,
): Promise<T | Refusal> {
  const encoding = incoming.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip') return unknownEncoding(encoding)
  const length = Number(incoming.headers['content-length'] ?? limit)
  if (length > limit) return tooLarge(limit)
  const told = encoding === 'gzip' ? toldLength(incoming) : undefined
  if (told !== undefined && told > limit) return tooLarge(limit)
  const inflated = told ?? Math.min(limit, length * MOST_INFLATED)
  const bytes = encoding === 'gzip' ? Math.max(length, inflated) : length
  const who = askers.get(incoming)
  const isStranger = who === null
  const room = isStranger ? strangers : bytes <= SMALL ? small : large
  const leave = await room.enter(bytes, who ?? undefined)
  if (!leave) return tryAgain('Too many large bodies came at once.')
  const late = isStranger ? setTimeout(() => incoming.destroy(), STRANGERS_MS) : undefined
  try {
    const read = await readBytes(incoming, encoding, limit, told)
    clearTimeout(late)
    return read.ok ? await use(read.bytes) : read.refusal
  } finally {
    clearTimeout(late)
    leave()
  }
}

async function readBytes(
  incoming: IncomingMessage,
  encoding: 'gzip' | 'identity',
  limit: number,
  told: number | undefined,
): Promise<Read> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limit) return refuse(tooLarge(limit))
      chunks.push(chunk)
    }
    const raw = Buffer.concat(chunks.splice(0))
    if (encoding !== 'gzip') return { ok: true, bytes: raw }
    // Where nothing may come out, something has to be allowed, so that it is seen.
    const inflated = await inflate(raw, { maxOutputLength: Math.max(1, told ?? limit) })
    const isWhole = told === undefined || inflated.length === told
    return isWhole ? { ok: true, bytes: inflated } : refuse(unreadable)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return refuse(code === 'ERR_BUFFER_TOO_LARGE' && told === undefined ? tooLarge(limit) : unreadable)
  }
}

function toldLength({ headers }: IncomingMessage): number | undefined {
  const told = headers[INFLATED_HEADER]
  return typeof told === 'string' && /^\d{1,12}$/.test(told) ? Number(told) : undefined
}

const refuse = (refusal: Refusal): Read => ({ ok: false, refusal })

const unknownEncoding = (encoding: string): Refusal => ({
  status: 415,
  code: 'unknown_encoding',
  title: 'Unknown encoding',
  detail: `A body encoded as ${encoding.slice(0, 40)} cannot be read.`,
  next: 'Send it plain or as gzip.',
  headers: { 'accept-encoding': 'gzip' },
})

const unreadable: Refusal = {
  status: 400,
  code: 'invalid',
  title: 'Bad request',
  detail: 'The body ended early or is not the gzip it says it is, or not as long.',
  next: 'Send it again.',
}
