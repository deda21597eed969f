import type { ContentBlock, Message, PastAgent } from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'
import { describe, expect, it } from 'vitest'
import { Outline } from './outline.ts'

const nothing = createZeroSpent()
const agent = (id: string, tool_use_id: string | null, parent_id: string | null = 'main'): PastAgent => ({
  id,
  parent_id,
  subagent_type: null,
  description: null,
  tool_use_id,
  messages: 1,
  spent: nothing,
})
const reply = (agent_id: string, content: ContentBlock[], more: Partial<Message> = {}): Message => ({
  id: 'm',
  session_id: 's',
  role: 'assistant',
  ts: 1_000,
  model: 'm',
  agent_id,
  content,
  usage: { input: 10, output: 0, cache_read: 0, cache_write: 0, cache_write_1h: null, reasoning: 0 },
  state: 'active',
  hidden: false,
  ...more,
})
const call = (id: string): ContentBlock => ({ type: 'tool_call', id, tool: 'Task', input: {} })
const result = (id: string, ok: boolean): ContentBlock => ({
  type: 'tool_result',
  id,
  ok,
  text: '',
  duration_ms: null,
})
const answer = (agent_id: string, id: string, ok: boolean) =>
  reply(agent_id, [result(id, ok)], { role: 'tool', usage: null, model: null })

const outlineOf = (messages: readonly (readonly [Message, number | null])[], agents: PastAgent[]) => {
  const outline = new Outline()
  messages.forEach(([message, cost], n) => {
    outline.add(n, message, cost)
  })
  return outline.reply('f', agents)
}

describe('the outline of a session', () => {
  it("adds an agent's usage to the step whose call created it, through any number of levels", () => {
    const { steps, agents, failed, loose } = outlineOf(
      [
        [reply('main', []), 5],
        [reply('main', [call('a')]), 7],
        [reply('a', [call('b')]), 100],
        [reply('b', [call('x')], { ts: 9_000 }), 1_000],
        [answer('b', 'x', false), null],
      ],
      [agent('main', null, null), agent('a', 'a'), agent('b', 'b', 'a')],
    )
    expect(steps.map((step) => [step.n, step.spent.cost_micro_usd, step.tool_calls, step.errors])).toEqual([
      [0, 5, 0, 0],
      [1, 1_107, 3, 1],
    ])
    expect(agents.map((one) => [one.id, one.made_at, one.first, one.last, one.errors])).toEqual([
      ['main', null, 0, 1, 0],
      ['a', 1, 2, 2, 0],
      ['b', 2, 3, 4, 1],
    ])
    expect(failed).toEqual([1])
    expect(loose).toEqual(nothing)
  })

  it('adds no step for agents with an unknown call or cyclic creators', () => {
    const { steps, agents, loose } = outlineOf(
      [
        [reply('main', []), 1],
        [reply('a', [call('b')]), 10],
        [reply('b', [call('a')]), 10],
        [reply('c', []), 10],
      ],
      [agent('main', null, null), agent('a', 'a', 'b'), agent('b', 'b', 'a'), agent('c', null)],
    )
    expect(steps.map((step) => step.spent.cost_micro_usd)).toEqual([1])
    expect(loose.cost_micro_usd).toBe(30)
    expect(agents.every((one) => one.made_at === null)).toBe(true)
  })

  it('shows when an agent began and was last active, and its first model', () => {
    const { agents } = outlineOf(
      [
        [reply('a', [], { ts: null, model: null }), 1],
        [reply('a', [], { ts: 2_000, model: 'first' }), 1],
        [reply('a', [], { ts: 5_000, model: 'second' }), 1],
        [reply('a', [], { ts: null, model: null }), 1],
      ],
      [agent('a', null)],
    )
    expect(agents).toMatchObject([
      { started_at: 2_000, last_at: 5_000, model: 'first', first: 0, last: 3, made_at: null },
    ])
  })

  it('shows the number of replies with unknown usage', () => {
    const { steps } = outlineOf(
      [
        [reply('main', [], { usage: null }), null],
        [reply('main', []), null],
      ],
      [agent('main', null, null)],
    )
    expect(steps.map(({ spent: took }) => [took.usage_unknown, took.cost_unknown])).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  it('shows the number of unreadable parts and the first of them', () => {
    const outline = new Outline()
    for (let line = 1; line <= 500; line += 1) outline.lack({ place: `file:${line}`, reason: 'not JSON' })
    const { unread, unread_parts } = outline.reply('f', [])
    expect(unread).toBe(500)
    expect(unread_parts.length).toBeLessThan(100)
    expect(unread_parts[0]).toEqual({ place: 'file:1', reason: 'not JSON' })
  })

  it('stays short for a long session without losing anything', () => {
    const { steps } = outlineOf(
      Array.from({ length: 25_001 }, () => [reply('main', []), 2] as const),
      [agent('main', null, null)],
    )
    expect(steps.length).toBeLessThanOrEqual(1_000)
    expect(steps.reduce((all, step) => all + step.replies, 0)).toBe(25_001)
    expect(steps.reduce((all, step) => all + step.spent.cost_micro_usd, 0)).toBe(50_002)
  })
})
