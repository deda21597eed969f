import { hash } from 'node:crypto'
import type { Team } from '@panoptes/engine/ledger'

type Answer = Awaited<ReturnType<Team['identify']>>

/** Who has a secret, asked of the team at most once a second. */
export interface Identities {
  readonly of: (secret: string) => Promise<Answer>
  /** Whether it was good when it was last asked. */
  readonly wasGood: (secret: string) => boolean
  /** Everybody is asked about anew. */
  readonly forget: () => void
}

interface Known {
  readonly at: number
  readonly answer: Promise<Answer>
  good: boolean
}

/** A token that was revoked at another hub is refused after this time at the latest. */
const FRESH_MS = 1_000
const MOST = 10_000

export function createIdentities(team: Pick<Team, 'identify'>, now = () => performance.now()): Identities {
  // By hash, so that no secret stays in memory for longer than its request.
  const known = new Map<string, Known>()

  const ask = (key: string, secret: string): Promise<Answer> => {
    const asked: Known = {
      at: now(),
      good: known.get(key)?.good ?? false,
      answer: team.identify(secret).then((answer) => {
        if (answer.ok) asked.good = 'identity' in answer.value
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
    wasGood: (secret) => known.get(keyOf(secret))?.good ?? false,
    forget: () => known.clear(),
  }
}

const keyOf = (secret: string): string => hash('sha256', secret, 'base64url')
