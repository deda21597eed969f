import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Paths, webhookSecret } from '@panoptes/engine/home'

/** Verifies the signatures of Hermes webhooks. */
export interface Webhooks {
  readonly isSigned: (body: string, signature: string | undefined) => Promise<boolean>
}

/** Hermes retries twice within seconds; the rest of the time allows for a wrong clock. */
const MOST_APART_MS = 300_000

/** Whether the body was sent too long ago or in the future, which suggests a replay. */
export function isStale(body: string, now: number): boolean {
  const sent = readSentAt(body)
  return sent !== undefined && Math.abs(now - sent) > MOST_APART_MS
}

function readSentAt(body: string): number | undefined {
  try {
    const { timestamp } = JSON.parse(body) as { readonly timestamp?: unknown }
    const sent = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
    return Number.isNaN(sent) ? undefined : sent
  } catch {
    return undefined
  }
}

const FRESH_MS = 1_000
const SHAPE = /^sha256=([0-9a-f]{64})$/i

export function createWebhooks(paths: Paths): Webhooks {
  let secret: string | undefined
  let readAt = Number.NEGATIVE_INFINITY

  /** Caches the secret for a second, so a replaced secret takes effect soon. */
  const readSecret = async (): Promise<string | undefined> => {
    if (performance.now() - readAt < FRESH_MS) return secret
    const read = await webhookSecret(paths)
    secret = read.ok ? read.value : undefined
    readAt = performance.now()
    return secret
  }

  return {
    isSigned: async (body, signature) => {
      const key = await readSecret()
      const sent = SHAPE.exec(signature ?? '')?.[1]
      if (key === undefined || sent === undefined) return false
      return timingSafeEqual(Buffer.from(sent, 'hex'), createHmac('sha256', key).update(body).digest())
    },
  }
}
