import { redactText } from '@panoptes/engine/redact'
import { readClaims, type StatedClaim } from '@panoptes/engine/stated'
import type { Claim } from '@panoptes/schema'

const MOST = 50_000

type Stated = Omit<Claim, 'source' | 'session_id' | 'project' | 'ts'> & { readonly ts: number | null }

export interface Said {
  readonly agent: string
  readonly message: string
  readonly n: number
  readonly ts: number | null
  readonly model: string | null
  readonly text: string
}

/** The claims of a session, once for each message and place, however often a message is told. */
export class ClaimBook {
  readonly #claims: Stated[] = []
  /** What a message was known to state, in its order. */
  readonly #known = new Map<string, string[]>()

  heard({ agent, message, n, ts, model, text }: Said): void {
    if (readClaims(text).length === 0) return
    // Secrets have to be found while they are whole: a value is the end of a phrase.
    const found = readClaims(redactText(text).text)
    const key = JSON.stringify([agent, message])
    const known = this.#known.get(key) ?? []
    this.#known.set(key, known)
    if (isThere(known, found.map(markOf))) return
    for (const claim of found) {
      if (this.#claims.length >= MOST) return
      this.#claims.push({
        agent_id: agent,
        model,
        message_id: message,
        n,
        place: known.length,
        ts,
        value: claim.value,
        evidence_tier: claim.evidence_tier,
        pointer: claim.pointer,
        check: { verdict: 'open', says: '', evidence: null },
        estimate: null,
      })
      known.push(markOf(claim))
    }
  }

  /** `ts` stands for a time that no message tells. */
  claims(of: Pick<Claim, 'source' | 'session_id' | 'project' | 'ts'>): Claim[] {
    return this.#claims.map((claim) => ({ ...of, ...claim, ts: claim.ts ?? of.ts }))
  }
}

const markOf = ({ value, evidence_tier, pointer }: StatedClaim): string =>
  JSON.stringify([evidence_tier, value, pointer])

/** Whether these stand in what is known, one after the other: then it is the same told again. */
function isThere(known: readonly string[], found: readonly string[]): boolean {
  if (found.length > known.length) return false
  for (let at = 0; at + found.length <= known.length; at++)
    if (found.every((mark, index) => known[at + index] === mark)) return true
  return false
}
