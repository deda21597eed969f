import { hash } from 'node:crypto'
import type { Team } from '@panoptes/engine/ledger'
import type { Identity } from '@panoptes/schema'

type Answer = Awaited<ReturnType<Team['identify']>>

/** Who has a secret, asked of the team at most once a second. */
export interface Identities {
  readonly of: (secret: string) => Promise<Answer>
  /** Whether it was good when it was last asked. */
  readonly wasGood: (secret: string) => boolean
  /** Who had it when the team could last be asked, where that was not long ago and it has not ended since. */
  readonly last: (secret: string) => Identity | undefined
  /** Everybody is asked about anew. */
  readonly forget: () => void
}

interface Known {
  at: number
  readonly answer: Promise<Answer>
  good: Good | undefined
}

interface Good {
  readonly at: number
  readonly identity: Identity
}

/** A token that was revoked at another hub is refused after this time at the latest. */
const FRESH_MS = 1_000
/** So long somebody is taken for who they were while the team cannot be asked. */
const LASTING_MS = 600_000
const MOST = 10_000

export function createIdentities(team: Pick<Team, 'identify'>, now = () => performance.now()): Identities {
  // By hash, so that no secret stays in memory for longer than its request.
  const known = new Map<string, Known>()

  const ask = (key: string, secret: string): Promise<Answer> => {
    const asked: Known = {
      at: now(),
      good: known.get(key)?.good,
      answer: team.identify(secret).then((answer) => {
        if (answer.ok)
          asked.good = 'identity' in answer.value ? { at: now(), identity: answer.value.identity } : undefined
        else if (asked.good) asked.at = Number.NEGATIVE_INFINITY
        else if (known.get(key) === asked) known.delete(key)
        return answer
      }),
    }
    known.delete(key)
    known.set(key, asked)
    if (known.size > MOST) known.delete(known.keys().next().value as string)
    return asked.answer
  }

  return {
    of: (secret) => {
      const key = keyOf(secret)
      const before = known.get(key)
      return before && now() - before.at < FRESH_MS ? before.answer : ask(key, secret)
    },
    wasGood: (secret) => known.get(keyOf(secret))?.good !== undefined,
    last: (secret) => {
      const good = known.get(keyOf(secret))?.good
      if (good === undefined || now() - good.at > LASTING_MS) return undefined
      const { expires_at } = good.identity
      return expires_at === null || Date.now() < expires_at ? good.identity : undefined
    },
    forget: () => known.clear(),
  }
}

const keyOf = (secret: string): string => hash('sha256', secret, 'base64url')
