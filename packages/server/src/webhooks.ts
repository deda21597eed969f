import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Paths, webhookSecret } from '@panoptes/engine/home'

/** Tells what Hermes signed from what somebody else sent. */
export interface Webhooks {
  readonly isSigned: (body: string, signature: string | undefined) => Promise<boolean>
}

const FRESH_MS = 1_000
const SHAPE = /^sha256=([0-9a-f]{64})$/i

export function createWebhooks(paths: Paths): Webhooks {
  let secret: string | undefined
  let readAt = Number.NEGATIVE_INFINITY

  /** A secret that was replaced counts a second later. */
  const current = async (): Promise<string | undefined> => {
    if (performance.now() - readAt < FRESH_MS) return secret
    const read = await webhookSecret(paths)
    secret = read.ok ? read.value : undefined
    readAt = performance.now()
    return secret
  }

  return {
    isSigned: async (body, signature) => {
      const key = await current()
      const sent = SHAPE.exec(signature ?? '')?.[1]
      if (key === undefined || sent === undefined) return false
      return timingSafeEqual(Buffer.from(sent, 'hex'), createHmac('sha256', key).update(body).digest())
    },
  }
}
