import { setTimeout as wait } from 'node:timers/promises'
import type { ChatPart, ModelError } from './port.ts'

/** Who asks for more patience than this gets none: whoever waits is told at once. */
const LONGEST_MS = 60_000
const FIRST_MS = 500
const MOST_MS = 8_000

export interface RetryOptions {
  readonly retries: number
  readonly signal?: AbortSignal | undefined
}

/** Tries again as long as nothing was answered yet and the failure may pass; an abort ends the waiting, too. */
export async function* withRetries(
  attempt: () => AsyncIterable<ChatPart>,
  { retries, signal }: RetryOptions,
): AsyncGenerator<ChatPart, undefined> {
  for (let tries = 0; ; tries += 1) {
    let pause: number | undefined
    let isBegun = false
    for await (const part of attempt()) {
      if (part.type === 'failed' && !isBegun && tries < retries) pause = pauseAfter(part.error, tries)
      isBegun = true
      if (pause === undefined) yield part
    }
    if (pause === undefined) return
    await wait(pause, undefined, signal ? { signal } : {}).catch(() => {})
  }
}

/** Milliseconds until the next try; none where there is to be no other. */
function pauseAfter({ retry }: ModelError, tries: number): number | undefined {
  if (retry === undefined) return undefined
  if (retry.afterMs !== null) return retry.afterMs > LONGEST_MS ? undefined : retry.afterMs
  return Math.min(MOST_MS, FIRST_MS * 2 ** tries) * (1 - Math.random() / 4)
}

/** Milliseconds that an answer asks to be waited: as a number of seconds, or as a date. */
export function askedPatience(headers: Headers | undefined, now = Date.now()): number | null {
  const exact = headers?.get('retry-after-ms')
  if (exact && Number.isFinite(Number(exact))) return Math.max(0, Number(exact))
  const said = headers?.get('retry-after')
  if (!said) return null
  const ms = Number.isFinite(Number(said)) ? Number(said) * 1_000 : Date.parse(said) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}
