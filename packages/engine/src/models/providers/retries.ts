import { setTimeout as wait } from 'node:timers/promises'
import type { ChatPart, ModelError } from './port.ts'

/** A provider that asks for a longer delay is not retried; the caller gets the error at once. */
const LONGEST_MS = 60_000
const FIRST_MS = 500
const MOST_MS = 8_000

export interface RetryOptions {
  readonly retries: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Retries while nothing was answered and the error is temporary. An abort also ends the waiting.
 */
export async function* withRetries(
  attempt: () => AsyncIterable<ChatPart>,
  { retries, signal }: RetryOptions,
): AsyncGenerator<ChatPart, undefined> {
  for (let tries = 0; ; tries += 1) {
    let pause: number | undefined
    let isBegun = false
    for await (const part of attempt()) {
      if (part.type === 'failed' && !isBegun && tries < retries) pause = computePause(part.error, tries)
      isBegun = true
      if (pause === undefined) yield part
    }
    if (pause === undefined) return
    await wait(pause, undefined, signal ? { signal } : {}).catch(() => {})
  }
}

/** Returns the milliseconds until the next attempt; undefined if there is none. */
function computePause({ retry }: ModelError, tries: number): number | undefined {
  if (retry === undefined) return undefined
  if (retry.afterMs !== null) return retry.afterMs > LONGEST_MS ? undefined : retry.afterMs
  return Math.min(MOST_MS, FIRST_MS * 2 ** tries) * (1 - Math.random() / 4)
}

/** Parses the requested delay in milliseconds, from a number of seconds or a date. */
export function parseRetryAfter(headers: Headers | undefined, now = Date.now()): number | null {
  const exact = headers?.get('retry-after-ms')
  if (exact && Number.isFinite(Number(exact))) return Math.max(0, Number(exact))
  const retryAfter = headers?.get('retry-after')
  if (!retryAfter) return null
  const ms = Number.isFinite(Number(retryAfter)) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}
