import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { isNestedTooDeep, JSON_LEVELS, TOO_DEEP } from '@panoptes/schema/json'
import { badInput, type Refusal, tooLarge, tryAgain } from './problem.ts'

type Release = () => void

/**
 * A budget of bytes for request bodies in progress. A request over the budget waits in line for a while and then
 * fails.
 */
interface BodyBudget {
  /**
   * One known client may have at most half of the budget and of the line, apart from a single body that is larger.
   */
  readonly enter: (bytes: number, who?: string) => Promise<Release | undefined>
}

interface Waiting {
  readonly bytes: number
  readonly who: string | undefined
  readonly admit: () => void
}

export function createBodyBudget(size: number, limits: { waitMs: number; waiting: number }): BodyBudget {
  const line = new Set<Waiting>()
  const held = new Map<string, number>()
  let free = size

  const canTake = ({ bytes, who }: Pick<Waiting, 'bytes' | 'who'>): boolean => {
    const has = who === undefined ? undefined : held.get(who)
    return has === undefined || has + bytes <= size / 2
  }
  const countHeld = (who: string | undefined, bytes: number) => {
    if (who === undefined) return
    const now = (held.get(who) ?? 0) + bytes
    if (now > 0) held.set(who, now)
    else held.delete(who)
  }

  const take = ({ bytes, who }: Pick<Waiting, 'bytes' | 'who'>): Release => {
    free -= bytes
    countHeld(who, bytes)
    let left = false
    return () => {
      if (left) return
      left = true
      free += bytes
      countHeld(who, -bytes)
      for (const next of [...line]) {
        // A client that used up its share does not hold up the ones behind it in line.
        if (!canTake(next)) continue
        if (next.bytes > free) return
        next.admit()
      }
    }
  }

  return {
    enter: async (bytes, who) => {
      const need = { bytes, who }
      const before = [...line].filter(canTake)
      if (before.length === 0 && bytes <= free && canTake(need)) return take(need)
      const own = who === undefined ? 0 : [...line].filter((each) => each.who === who).length
      if (bytes > size || line.size >= limits.waiting || own >= limits.waiting / 2) return undefined
      const { promise, resolve } = Promise.withResolvers<Release | undefined>()
      const waiting: Waiting = {
        ...need,
        admit: () => {
          clearTimeout(limit)
          line.delete(waiting)
          resolve(take(need))
        },
      }
      const limit = setTimeout(() => {
        line.delete(waiting)
        resolve(undefined)
      }, limits.waitMs)
      line.add(waiting)
      return promise
    },
  }
}

const inflate = promisify(gunzip)

/**
 * Bodies in progress. Small ones have a budget of their own, so they never wait behind large ones. A body counts
 * until its request is answered.
 */
const SMALL = 1_048_576
const LIMITS = { waitMs: 10_000, waiting: 256 }
const small = createBodyBudget(16 * SMALL, LIMITS)
const large = createBodyBudget(32 * SMALL, LIMITS)

/** Requests without credentials have a separate budget and a time limit, so that they cannot block others. */
const strangers = createBodyBudget(32 * SMALL, LIMITS)
const STRANGERS_MS = 10_000

const bodyOwners = new WeakMap<IncomingMessage, string | null>()

/**
 * Sets who a body is counted for, so that nobody in a team takes the whole budget; null is a client without
 * credentials.
 */
export const setBodyOwner = (incoming: IncomingMessage, who: string | null): void => {
  bodyOwners.set(incoming, who)
}

/** The size that a gzip body inflates to. It then takes only that much of the budget. */
const INFLATED_HEADER = 'x-inflated-length'

/** Gzip compresses by at most this factor. */
const MOST_INFLATED = 1_032

type BodyRead =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly refusal: Refusal }

/** Reads a body as text, which is JSON or a form, and refuses JSON that is nested too deep. */
export const withBody = <T>(
  incoming: IncomingMessage,
  limit: number,
  use: (text: string) => T | Promise<T>,
  levels = JSON_LEVELS,
): Promise<T | Refusal> =>
  withBytes(incoming, limit, async (bytes) => {
    await yieldToOthers(bytes.length)
    const text = bytes.toString('utf8')
    await yieldToOthers(bytes.length)
    if (isNestedTooDeep(text, levels)) return badInput('body', [{ path: '', reason: TOO_DEEP }])
    return use(text)
  })

/** Yields to other requests between two passes over a large body, since each pass blocks the event loop. */
export const yieldToOthers = async (size: number): Promise<void> => {
  if (size > SMALL) await setImmediate()
}

/** Reads a body and inflates gzip. Neither the compressed nor the inflated size may exceed the limit. */
export async function withBytes<T>(
  incoming: IncomingMessage,
  limit: number,
  use: (bytes: Buffer) => T | Promise<T>,
): Promise<T | Refusal> {
  const encoding = incoming.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip') return unknownEncoding(encoding)
  const length = Number(incoming.headers['content-length'] ?? limit)
  if (length > limit) return tooLarge(limit)
  const declaredLength = encoding === 'gzip' ? readDeclaredLength(incoming) : undefined
  if (declaredLength !== undefined && declaredLength > limit) return tooLarge(limit)
  const inflated = declaredLength ?? Math.min(limit, length * MOST_INFLATED)
  const bytes = encoding === 'gzip' ? Math.max(length, inflated) : length
  const who = bodyOwners.get(incoming)
  const isStranger = who === null
  const budget = isStranger ? strangers : bytes <= SMALL ? small : large
  const leave = await budget.enter(bytes, who ?? undefined)
  if (!leave) return tryAgain('Panoptes is reading too many large bodies at once.')
  const late = isStranger ? setTimeout(() => incoming.destroy(), STRANGERS_MS) : undefined
  try {
    const read = await readBytes(incoming, encoding, limit, declaredLength)
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
  declaredLength: number | undefined,
): Promise<BodyRead> {
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
    // A limit of 0 is not allowed, so a body that should inflate to nothing gets 1 byte and is compared afterwards.
    const inflated = await inflate(raw, { maxOutputLength: Math.max(1, declaredLength ?? limit) })
    const isWhole = declaredLength === undefined || inflated.length === declaredLength
    return isWhole ? { ok: true, bytes: inflated } : refuse(unreadable)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return refuse(
      code === 'ERR_BUFFER_TOO_LARGE' && declaredLength === undefined ? tooLarge(limit) : unreadable,
    )
  }
}

function readDeclaredLength({ headers }: IncomingMessage): number | undefined {
  const header = headers[INFLATED_HEADER]
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : undefined
}

const refuse = (refusal: Refusal): BodyRead => ({ ok: false, refusal })

const unknownEncoding = (encoding: string): Refusal => ({
  status: 415,
  code: 'unknown_encoding',
  title: 'Unknown encoding',
  detail: `Panoptes does not support the content encoding ${encoding.slice(0, 40)}.`,
  next: 'Send the body uncompressed or as gzip.',
  headers: { 'accept-encoding': 'gzip' },
})

const unreadable: Refusal = {
  status: 400,
  code: 'invalid',
  title: 'Bad request',
  detail: 'The body ended early, is not valid gzip, or is not as long as its headers say.',
  next: 'Send the request again.',
}
