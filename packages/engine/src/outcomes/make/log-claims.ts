import type { Claim, StoredEvent } from '@panoptes/schema'
import { evidenceTier } from '@panoptes/schema'
import { compareText } from '@panoptes/schema/compare-text'
import { isKind } from '@panoptes/schema/reading'
import { MAIN } from './account-context.ts'

/** Claims in the log, once per message and position. */
export class LoggedClaims {
  readonly #claims = new Map<string, Claim>()
  /** Messages whose claims count elsewhere. */
  readonly #takenBack = new Set<string>()

  hear(event: StoredEvent): void {
    if (isKind(event, 'taken_back') && event.of === 'claim' && event.message_id)
      this.#takenBack.add(messageKey({ agent_id: event.agent_id ?? MAIN, message_id: event.message_id }))
    if (!isKind(event, 'claim')) return
    const { ts, key, source, session_id, value, pointer, place } = event
    const tier = evidenceTier.safeParse(event.tier)
    if (!tier.success || !value) return
    const agent = event.agent_id ?? MAIN
    const message = [event.message_id, event.prompt_id].find((id) => typeof id === 'string' && id !== '')
    const name = JSON.stringify(
      place === undefined || message === undefined ? [key] : [agent, message, place],
    )
    const existing = this.#claims.get(name)
    if (existing !== undefined && existing.ts <= ts) return
    this.#claims.set(name, {
      source,
      session_id,
      agent_id: agent,
      project: null,
      model: null,
      message_id: typeof message === 'string' ? message : key,
      n: null,
      place: place ?? 0,
      ts,
      value,
      evidence_tier: tier.data,
      pointer: pointer ?? '',
      check: {
        verdict: 'open',
        says: 'Not checked: Panoptes has only the events of this session.',
        evidence: null,
      },
      estimate: null,
    })
  }

  isTakenBack = (claim: Message): boolean => this.#takenBack.has(messageKey(claim))

  claims(project: string | null, findModel: (agent: string) => string | null): Claim[] {
    return [...this.#claims.values()]
      .filter((claim) => !this.isTakenBack(claim))
      .map((claim) => ({ ...claim, project, model: findModel(claim.agent_id) }))
      .sort((a, b) => a.ts - b.ts || compareText(a.message_id, b.message_id) || a.place - b.place)
  }
}

type Message = Pick<Claim, 'agent_id' | 'message_id'>
const messageKey = ({ agent_id, message_id }: Message): string => JSON.stringify([agent_id, message_id])
