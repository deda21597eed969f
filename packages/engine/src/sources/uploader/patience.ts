import { pause } from '@panoptes/engine/abortable'
import type { Result } from '@panoptes/schema'

const FIRST_MS = 500
const MOST_MS = 60_000

export interface Patience {
  readonly signal: AbortSignal
  /** So often it is tried. */
  readonly tries: number
  /** Hears why it did not work, each time. */
  readonly failed: (reason: string) => void
}

/** Tries until it works, or never will, with longer and longer pauses, of which no two are the same. */
export async function untilDone<T>(
  work: () => Promise<Result<T>>,
  { signal, tries, failed }: Patience,
): Promise<Result<T>> {
  for (let tried = 1, waitMs = FIRST_MS; ; tried += 1, waitMs = Math.min(MOST_MS, waitMs * 2)) {
    const done = await work()
    if (done.ok || done.code === 'invalid' || signal.aborted) return done
    failed(done.message)
    if (tried >= tries) return done
    await pause(waitMs * (0.5 + Math.random()), signal, { ref: false })
    if (signal.aborted) return done
  }
}
