import type { SessionRecord } from '@panoptes/engine/sources'
import type { Account, ContentBlock, StoredEvent } from '@panoptes/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { accountOfEvents } from './index.ts'
import { accountFrom, agent, call, MAKING, message, result, START, text } from './make.test-kit.ts'

type Deed =
  | { readonly do: 'prompt' }
  | { readonly do: 'stop' }
  | { readonly do: 'call' | 'skill'; readonly ok: boolean; readonly input: number }

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.constantFrom<Deed>({ do: 'prompt' }, { do: 'stop' }),
  fc.record({
    do: fc.constantFrom('call' as const, 'skill' as const),
    ok: fc.boolean(),
    input: fc.nat(1_000),
  }),
)

interface Told {
  readonly records: SessionRecord[]
  readonly events: StoredEvent[]
}

/** What one agent does, as its transcript and as the log report it. */
function tell(id: string, deeds: readonly Deed[]): Told {
  const records: SessionRecord[] = []
  const events: StoredEvent[] = []
  const of = { agent_id: id }
  const event = (kind: string, at: number, more: object = {}) => {
    const envelope = {
      v: 1 as const,
      key: `${id} ${at} ${kind}`,
      seq: 1,
      host: 'here',
      source: 'claude-code',
      session_id: 's',
    }
    events.push({ ...envelope, ts: START + at * 1_000, event: kind, ...of, ...more })
  }
  const say = (role: 'user' | 'assistant' | 'tool', at: number, block: ContentBlock, input?: number) => {
    const usage = {
      input: input ?? 0,
      output: 1,
      cache_read: 0,
      cache_write: 0,
      cache_write_1h: 0,
      reasoning: 0,
    }
    const paid = role === 'assistant' ? { usage } : {}
    records.push(message(role, at, [block], { ...of, id: `${id} ${at}`, ...paid }))
    if (role === 'assistant') event('usage', at, { ...usage, id: `${id} ${at}`, model: 'claude-opus-4-8' })
  }
  say('user', 0, text('begin'))
  event('prompt', 0)
  deeds.forEach((each, index) => {
    const at = 1 + index * 3
    if (each.do === 'prompt') {
      say('user', at, text('go on'))
      event('prompt', at)
    } else if (each.do === 'stop') {
      say('assistant', at, text('Done.'))
      event('agent_done', at, { id })
    } else {
      const called = `${id} call ${index}`
      const tool = each.do === 'skill' ? 'Skill' : 'Bash'
      const done = { id: called, tool, ok: each.ok }
      say('assistant', at, call(called, tool, { skill: 'tidy' }), each.input)
      event('tool_use', at, { id: called, tool })
      say('tool', at + 1, result(called, each.ok))
      event('tool_done', at + 1, done)
      if (each.do === 'skill') event('skill_use', at + 1, { id: called, skill: 'tidy', success: each.ok })
    }
  })
  return { records, events }
}

const told = ({ agents, skills, cells }: Account) => ({
  agents: agents
    .map(({ agent_id, tool_stats, errors, duration_ms, tokens_in, tokens_out, cost_micro_usd, model }) =>
      [agent_id, tool_stats, errors, duration_ms, tokens_in, tokens_out, cost_micro_usd, model]
        .map(String)
        .join(),
    )
    .sort(),
  stats: agents
    .map(({ agent_id, tool_stats }) => `${agent_id} ${tool_stats.Bash} ${tool_stats.Skill}`)
    .sort(),
  skills: skills
    .map(
      ({ agent_id, id, success, duration_ms, reason }) =>
        `${agent_id} ${id} ${success} ${duration_ms} ${reason}`,
    )
    .sort(),
  cells,
})

it('makes the same account from a transcript and from events, for any actions in any order', async () => {
  const agents = ['main', 'a', 'b']
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(...agents.map(() => fc.array(deed, { maxLength: 8 }))),
      fc.array(fc.nat(), { maxLength: 120 }),
      async (deeds, keys) => {
        const all = agents.map((id, index) => tell(id, deeds[index] ?? []))
        const written = await accountFrom([
          ...agents.map((id) => agent(id)),
          ...all.flatMap(({ records }) => records),
        ])
        const events = all.flatMap(({ events }) => events)
        const mixed = events
          .map((event, index) => ({ event, key: keys[index] ?? index }))
          .sort((a, b) => a.key - b.key)
          .map(({ event }, index) => ({ ...event, seq: event.event === 'usage' ? index : index + 1_000 }))
        const heard = accountOfEvents({
          source: 'claude-code',
          session_id: 's',
          events: mixed,
          fingerprint: 'f',
          making: MAKING,
        })
        expect(told(heard)).toEqual(told(written))
      },
    ),
  )
})
