import type { SkillUse } from '@panoptes/schema'
import { cleanExcerpt, firstLine } from './account-text.ts'

/** The result of a call: absent until it ended, and null if it ended without one. */
interface Outcome {
  readonly tool: string
  ok?: boolean | null
  end: number | null
  error: string
}

type Named = Pick<SkillUse, 'agent_id' | 'id' | 'skill' | 'ts' | 'how' | 'n'>

interface Use {
  readonly named: Named
  readonly load: Outcome
  last: Outcome
  closed: boolean
  /** The result was reported; it holds as long as nothing is called in the scope. */
  readonly isReported: boolean
}

/**
 * Tracks the skill each agent works by. A scope begins when a skill is loaded, contains the agent's
 * own calls, and ends with its next skill, prompt or stop. A use was successful if its load and the
 * last call in its scope succeeded.
 */
export class SkillScopes {
  readonly #uses: Use[] = []
  /** Maps an agent to its open scope. */
  readonly #open = new Map<string, Use>()
  /** Loads, and calls in scopes that have not ended. */
  readonly #calls = new Map<string, Outcome>()

  /** Records a tool call that loads a skill. */
  load(named: Named, call: { readonly id: string; readonly tool: string }): void {
    const load = { tool: call.tool, end: null, error: '' }
    this.#begin(named, load)
    if (call.id !== '') this.#calls.set(callKey(named.agent_id, call.id), load)
  }

  /** A skill requested by the user is loaded with the prompt. */
  command(named: Named): void {
    this.#begin(named, { tool: named.skill, ok: true, end: null, error: '' })
  }

  /** Records a reported load, with its result if known. Its duration is unknown. */
  report(named: Named, success: boolean | null): void {
    const load = { tool: named.skill, ok: success ?? true, end: null, error: '' }
    this.#begin(named, load, success !== null)
  }

  called(agent: string, call: { readonly id: string; readonly tool: string }): void {
    const use = this.#open.get(agent)
    if (use === undefined) return
    const outcome = { tool: call.tool, end: null, error: '' }
    use.last = outcome
    if (call.id !== '') this.#calls.set(callKey(agent, call.id), outcome)
  }

  ended(agent: string, id: string, ok: boolean | null, ts: number | null, error: string): void {
    const key = callKey(agent, id)
    const outcome = this.#calls.get(key)
    if (outcome === undefined) return
    this.#calls.delete(key)
    outcome.ok = ok
    outcome.end = ts
    if (ok === false) outcome.error = cleanExcerpt(firstLine(error), 120)
  }

  close(agent: string): void {
    const use = this.#open.get(agent)
    if (use !== undefined) use.closed = true
    this.#open.delete(agent)
  }

  currentSkill(agent: string): string | null {
    return this.#open.get(agent)?.named.skill ?? null
  }

  uses(of: Pick<SkillUse, 'source' | 'session_id' | 'project'>): SkillUse[] {
    return this.#uses.map(({ named, load, last, closed, isReported }) => {
      const over = closed || (isReported && last === load)
      const { success, reason } = over ? judged(load, last) : OPEN
      // An unknown time is written as 0.
      const end = over && named.ts > 0 ? last.end : null
      return {
        ...of,
        ...named,
        success,
        reason,
        duration_ms: end === null ? null : Math.max(0, end - named.ts),
        trajectory_id: null,
      }
    })
  }

  #begin(named: Named, load: Outcome, isReported = false): void {
    this.close(named.agent_id)
    const use = { named, load, last: load, closed: false, isReported }
    this.#uses.push(use)
    this.#open.set(named.agent_id, use)
  }
}

const callKey = (agent: string, id: string): string => JSON.stringify([agent, id])

const OPEN = { success: null, reason: null }

function judged(load: Outcome, last: Outcome): Pick<SkillUse, 'success' | 'reason'> {
  for (const { ok, tool, error } of [load, last]) {
    if (ok === false)
      return { success: false, reason: error === '' ? `${tool} failed` : `${tool} failed: ${error}` }
    if (ok === undefined) return { success: false, reason: `${tool} had no result` }
  }
  return { success: load.ok === true && last.ok === true ? true : null, reason: null }
}
