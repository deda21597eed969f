import { skillOfCommand } from '@panoptes/engine/markers'
import type { SkillUse, StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { MAIN } from './account-context.ts'
import type { LoggedCall, LoggedCalls } from './log-calls.ts'
import { SkillScopes } from './skill-scopes.ts'

/** A paid reply and the skill in whose scope it was made. */
export interface LoggedReply {
  readonly agent: string
  readonly ts: number
  readonly seq: number
  skill: string | null
}

interface LoggedUse {
  readonly id: string
  readonly agent: string
  readonly skill: string
  readonly ts: number
  readonly seq: number
  success: boolean | null
  readonly duration: number | null
  readonly trajectory: string | null
  /** It was recorded afterwards, so nothing else is known about it. */
  readonly recorded: boolean
}

type Moment = { readonly agent: string; readonly ts: number; readonly seq: number } & (
  | { readonly kind: 'paid'; readonly reply: LoggedReply }
  | { readonly kind: 'call'; readonly call: LoggedCall }
  | { readonly kind: 'use'; readonly use: LoggedUse }
  | { readonly kind: 'command'; readonly skill: string; readonly id: string }
  | { readonly kind: 'close' }
)

/** Skill uses in the log: by calls, by commands, or only by a report. */
export class LoggedSkills {
  readonly #isSkill: (name: string) => boolean
  readonly #loggedUses = new Map<string, LoggedUse>()
  readonly #moments: Moment[] = []
  readonly #turns = new Set<string>()
  /** When the session ended, which ends every scope. */
  readonly #ends: { readonly ts: number; readonly seq: number }[] = []

  constructor(isSkill: (name: string) => boolean) {
    this.#isSkill = isSkill
  }

  hear(event: StoredEvent): void {
    const { ts, seq, key } = event
    if (isKind(event, 'session_end')) this.#ends.push({ ts, seq })
    else if (isKind(event, 'agent_done') && event.id)
      this.#moments.push({ agent: event.id, ts, seq, kind: 'close' })
    else if (isKind(event, 'prompt')) this.#prompted(event)
    else if (isKind(event, 'skill_use') && event.skill) {
      const { skill, agent_id, id, success, duration_ms, trajectory_id } = event
      const agent = agent_id ?? MAIN
      const name = JSON.stringify([agent, id ?? key])
      const existing = this.#loggedUses.get(name)
      if (existing !== undefined) existing.success ??= success ?? null
      else
        this.#loggedUses.set(name, {
          id: id ?? key,
          agent,
          skill,
          ts,
          seq,
          success: success ?? null,
          duration: duration_ms ?? null,
          trajectory: trajectory_id ?? null,
          recorded: event.from_hook === true || event.source === 'panoptes',
        })
    }
  }

  /** Also assigns each reply to its skill. */
  uses(
    of: Pick<SkillUse, 'source' | 'session_id' | 'project'>,
    calls: LoggedCalls,
    replies: Iterable<LoggedReply>,
  ): SkillUse[] {
    const moments = [...this.#moments]
    const scopes = new SkillScopes()
    for (const reply of replies) moments.push({ ...reply, kind: 'paid', reply })
    for (const call of calls.all())
      moments.push({ agent: call.agent, ts: call.ts, seq: call.seq, kind: 'call', call })
    for (const use of this.#loggedUses.values())
      if (!use.recorded && calls.of(use.agent, use.id) === undefined)
        moments.push({ agent: use.agent, ts: use.ts, seq: use.seq, kind: 'use', use })
    const agents = new Set(moments.map(({ agent }) => agent))
    for (const end of this.#ends) for (const agent of agents) moments.push({ ...end, agent, kind: 'close' })
    moments.sort((a, b) => a.ts - b.ts || ORDER[a.kind] - ORDER[b.kind] || a.seq - b.seq)
    for (const moment of moments) this.#pass(scopes, moment)
    const recorded = [...this.#loggedUses.values()]
      .filter((use) => use.recorded)
      .map((use) => ({ ...of, ...toSkillUse(use) }))
    const seen = scopes.uses(of).map((use) => this.#completed(use, calls))
    return [...seen, ...recorded].sort((a, b) => a.ts - b.ts || (a.id < b.id ? -1 : 1))
  }

  #prompted(event: StoredEvent): void {
    if (!isKind(event, 'prompt')) return
    const { ts, seq, key } = event
    const agent = event.agent_id ?? MAIN
    const turn = typeof event.prompt_id === 'string' ? JSON.stringify([agent, event.prompt_id]) : key
    // The client informs an agent about others in the middle of its turn, which is not a new
    // prompt.
    if (event.origin === 'client' && this.#turns.has(turn)) return
    this.#turns.add(turn)
    this.#moments.push({ agent, ts, seq, kind: 'close' })
    const command = skillOfCommand(event.prompt_preview ?? '')
    if (command !== undefined && this.#isSkill(command))
      this.#moments.push({ agent, ts, seq, kind: 'command', skill: command, id: event.id ?? key })
  }

  #pass(scopes: SkillScopes, moment: Moment): void {
    const { agent, ts } = moment
    switch (moment.kind) {
      case 'paid':
        moment.reply.skill = scopes.currentSkill(agent)
        return
      case 'close':
        scopes.close(agent)
        return
      case 'command':
        scopes.command({ agent_id: agent, id: moment.id, skill: moment.skill, ts, how: 'command', n: null })
        return
      case 'use': {
        const { id, skill, success } = moment.use
        scopes.report({ agent_id: agent, id, skill, ts, how: 'call', n: null }, success)
        return
      }
      case 'call': {
        const { id, tool, begun, duration, done, ok, end, error } = moment.call
        const skill = this.#loggedUses.get(JSON.stringify([agent, id]))?.skill
        if (skill === undefined) scopes.called(agent, { id, tool })
        else scopes.load({ agent_id: agent, id, skill, ts, how: 'call', n: null }, { id, tool })
        // Without a start or a duration only the end of a load is known.
        const isTimed = skill === undefined || begun || duration !== null
        if (done) scopes.ended(agent, id, this.#word(agent, id, ok), isTimed ? end : null, error)
      }
    }
  }

  /** A call may succeed and still report that the skill was not loaded. */
  #word(agent: string, id: string, ok: boolean | null): boolean | null {
    return this.#loggedUses.get(JSON.stringify([agent, id]))?.success === false ? false : ok
  }

  /** The duration of a use is reported only if it has no call. */
  #completed(use: SkillUse, calls: LoggedCalls): SkillUse {
    const loggedUse = this.#loggedUses.get(JSON.stringify([use.agent_id, use.id]))
    if (loggedUse === undefined) return use
    const duration = calls.of(use.agent_id, use.id) === undefined ? loggedUse.duration : null
    return {
      ...use,
      trajectory_id: loggedUse.trajectory,
      duration_ms: duration === null ? use.duration_ms : Math.round(duration),
    }
  }
}

const ORDER = { paid: 0, close: 1, command: 1, use: 1, call: 1 } as const

const toSkillUse = ({ id, agent, skill, ts, success, duration, trajectory }: LoggedUse) => ({
  agent_id: agent,
  id,
  skill,
  ts,
  success,
  duration_ms: duration === null ? null : Math.round(duration),
  how: 'recorded' as const,
  trajectory_id: trajectory,
  reason: success === false ? 'recorded as failed' : null,
  n: null,
})
