import { hash } from 'node:crypto'
import type { Team } from '@panoptes/engine/store'
import type { Identity } from '@panoptes/schema'

type Answer = Awaited<ReturnType<Team['identify']>>

/** Looks up who a secret belongs to, and asks the team at most once a second. */
export interface Identities {
  readonly identify: (secret: string) => Promise<Answer>
  /** Whether the secret was valid at its last lookup. */
  readonly wasValid: (secret: string) => boolean
  /** The identity from the last successful lookup, if that was recent and the identity has not expired since. */
  readonly findRecent: (secret: string) => Identity | undefined
  /** Drops all cached lookups. */
  readonly forget: () => void
}

interface CacheEntry {
  at: number
  readonly answer: Promise<Answer>
  good: KnownIdentity | undefined
}

interface KnownIdentity {
  readonly at: number
  readonly identity: Identity
}

/** A token that is revoked at another hub is refused here after this time at the latest. */
const FRESH_MS = 1_000
/** How long the last known identity is accepted while the team cannot be asked. */
const LASTING_MS = 600_000
const MOST = 10_000

export function createIdentities(team: Pick<Team, 'identify'>, now = () => performance.now()): Identities {
  // The key is a hash, so that no secret stays in memory longer than its request.
  const cache = new Map<string, CacheEntry>()

  const ask = (key: string, secret: string): Promise<Answer> => {
    const entry: CacheEntry = {
      at: now(),
      good: cache.get(key)?.good,
      answer: team.identify(secret).then((answer) => {
        if (answer.ok)
          entry.good = 'identity' in answer.value ? { at: now(), identity: answer.value.identity } : undefined
        else if (entry.good) entry.at = Number.NEGATIVE_INFINITY
        else if (cache.get(key) === entry) cache.delete(key)
        return answer
      }),
    }
    cache.delete(key)
    cache.set(key, entry)
    if (cache.size > MOST) cache.delete(cache.keys().next().value as string)
    return entry.answer
  }

  return {
    identify: (secret) => {
      const key = cacheKey(secret)
      const before = cache.get(key)
      return before && now() - before.at < FRESH_MS ? before.answer : ask(key, secret)
    },
    wasValid: (secret) => cache.get(cacheKey(secret))?.good !== undefined,
    findRecent: (secret) => {
      const good = cache.get(cacheKey(secret))?.good
      if (good === undefined || now() - good.at > LASTING_MS) return undefined
      const { expires_at } = good.identity
      return expires_at === null || Date.now() < expires_at ? good.identity : undefined
    },
    forget: () => cache.clear(),
  }
}

const cacheKey = (secret: string): string => hash('sha256', secret, 'base64url')
