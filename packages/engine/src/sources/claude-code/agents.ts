import { readRegular } from '@panoptes/engine/home'
import type { Outcome, SessionAgent } from '@panoptes/schema'
import { type Fields, toFields, toList, toText, toTime } from '../fields.ts'
import { parsed } from '../json.ts'
import type { AgentFile } from './places.ts'
import { INTERRUPTED } from './results.ts'
import { isSynthetic, textIn } from './row.ts'

export const MAIN = 'main'

const NOTICE =
  /^<task-notification>\s*<task-id>([^<]{1,200})<\/task-id>\s*<tool-use-id>([^<]{1,200})<\/tool-use-id>/

const REPORT =
  /^\s*<task-notification>\s*<task-id>([^<]{1,200})<\/task-id>([\s\S]{0,4000}?)<status>\s*(\w{1,20})\s*<\/status>/
const ENDS: Readonly<Record<string, Outcome>> = {
  failed: 'fail',
  killed: 'stopped',
  stopped: 'stopped',
  cancelled: 'stopped',
}
/** The client reports an end in two places, a moment apart. */
const SLACK_MS = 1_000

interface End {
  readonly outcome: Outcome
  readonly at: number
  /** True when the agent's own transcript reports the end. */
  readonly isOwn: boolean
}

/**
 * Finds which agent created which, from the file next to an agent's transcript and from every other hint in
 * the transcripts.
 */
export class Family {
  /** The agents whose transcripts contain a call: the one that made it, and those that got a copy. */
  readonly #callers = new Map<string, Set<string>>()
  /** The call that created each agent. */
  readonly #calls = new Map<string, string>()
  readonly #metas = new Map<string, Fields>()
  /** How each agent ended, unless it ended with its own last message. */
  readonly #ends = new Map<string, End>()
  /** How long each agent worked, by its newest report, because reports count from its beginning. */
  readonly #took = new Map<string, number>()
  readonly #ids = new Set<string>([MAIN])

  async describe({ id, meta }: AgentFile): Promise<void> {
    const text = await readRegular(meta).catch(() => null)
    this.#metas.set(id, toFields(parsed(text)))
    this.#ids.add(id)
  }

  /** Reads a row of the transcript of `agent`. */
  saw(row: Fields, agent: string): void {
    this.#ids.add(agent)
    const inner = toFields(row.message)
    for (const block of toList(inner.content).map(toFields)) {
      if (block.type === 'tool_use' && typeof block.id === 'string') this.#called(block.id, agent)
      if (block.type === 'tool_result') this.#link(toFields(row.toolUseResult).agentId, block.tool_use_id)
    }
    if (row.type === 'progress') this.#link(toFields(row.data).agentId, row.parentToolUseID)
    if (row.type === 'queue-operation' && typeof row.content === 'string') this.#notice(row.content)
  }

  /** Reads an own, uncopied row of `agent`: a message after an end means that the agent continued. */
  ended(row: Fields, agent: string): void {
    if (row.type !== 'user' && row.type !== 'assistant') return
    const at = toTime(row.timestamp) ?? 0
    const text = textIn(row)
    if (row.isApiErrorMessage === true) this.#end(agent, { outcome: 'fail', at, isOwn: true })
    else if (row.type === 'user' && text.startsWith(INTERRUPTED))
      this.#end(agent, { outcome: 'stopped', at, isOwn: true })
    else if (this.#goesOn(row, agent, at)) this.#ends.delete(agent)
    const [, reported, , status] = (row.type === 'user' && REPORT.exec(text)) || []
    const outcome = ENDS[status ?? '']
    if (reported !== undefined && outcome !== undefined) this.#end(reported, { outcome, at, isOwn: false })
  }

  agent(id: string): SessionAgent {
    const outcome = this.#ends.get(id)?.outcome
    const duration_ms = this.#took.get(id)
    return {
      ...this.#described(id),
      ...(outcome === undefined ? {} : { outcome }),
      ...(duration_ms === undefined ? {} : { duration_ms }),
    }
  }

  #described(id: string): SessionAgent {
    if (id === MAIN) return { id, parent_id: null, subagent_type: null, description: null, tool_use_id: null }
    const meta = this.#metas.get(id) ?? {}
    return {
      id,
      parent_id: this.#isRound(id) ? MAIN : this.#findParent(id),
      subagent_type: toText(meta.agentType),
      description: toText(meta.description),
      tool_use_id: this.#findCall(id) ?? null,
    }
  }

  #findCall(id: string): string | undefined {
    return toText(this.#metas.get(id)?.toolUseId) ?? this.#calls.get(id)
  }

  /** Without a known parent, an agent belongs to the session's own agent. */
  #findParent(id: string): string {
    const parent = toText(this.#metas.get(id)?.parentAgentId)
    if (parent !== null && parent !== id && this.#ids.has(parent)) return parent
    const callers = [...(this.#callers.get(this.#findCall(id) ?? '') ?? [])]
    return callers.find((caller) => caller !== id) ?? MAIN
  }

  /** True when the chain of parents leads back to the agent. */
  #isRound(id: string): boolean {
    const seen = new Set<string>()
    for (let at = id; at !== MAIN; at = this.#findParent(at)) {
      if (seen.has(at)) return true
      seen.add(at)
    }
    return false
  }

  /**
   * Reads the message that the client queues for an agent when another one began or ended: JSON, or tags in
   * newer clients.
   */
  #notice(text: string): void {
    const [, agent, call] = NOTICE.exec(text) ?? []
    this.#link(agent, call)
    // The agent's answer may contain anything; its usage comes after it.
    const usage = text.slice(Math.max(0, text.lastIndexOf('<usage>')))
    const took = Number(/<duration_ms>(\d{1,15})<\/duration_ms>/.exec(usage)?.[1] ?? Number.NaN)
    if (agent !== undefined && Number.isSafeInteger(took))
      this.#took.set(agent, Math.max(this.#took.get(agent) ?? 0, took))
    const task = agent === undefined ? toFields(parsed(text)) : {}
    if (task.task_type === 'local_agent') this.#link(task.task_id, task.tool_use_id)
  }

  #end(agent: string, end: End): void {
    if (end.at >= (this.#ends.get(agent)?.at ?? end.at)) this.#ends.set(agent, end)
  }

  /**
   * Decides whether a row after an end continues the agent. The last rows before an end may be written a
   * moment after it was reported elsewhere. A reply after an end in the same transcript is a new turn.
   */
  #goesOn(row: Fields, agent: string, at: number): boolean {
    const end = this.#ends.get(agent)
    if (end === undefined) return false
    const isNewTurn = end.isOwn && row.type === 'assistant' && !isSynthetic(row)
    return at > end.at + (isNewTurn ? 0 : SLACK_MS)
  }

  #called(call: string, agent: string): void {
    if (this.#callers.get(call)?.add(agent) === undefined) this.#callers.set(call, new Set([agent]))
  }

  #link(agent: unknown, call: unknown): void {
    if (typeof agent === 'string' && typeof call === 'string' && !this.#calls.has(agent))
      this.#calls.set(agent, call)
  }
}
