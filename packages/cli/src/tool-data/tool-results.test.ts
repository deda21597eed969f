import type { TranscriptReply } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { describeCost, describeSession } from './tool-data.ts'

const message = (n: number, text: string, more: readonly object[] = []) => ({
  n,
  id: `m${n}`,
  role: n % 2 === 0 ? 'user' : 'assistant',
  agent_id: 'main',
  ts: 1_790_000_000_000,
  content: [{ type: 'text', text }, { type: 'reasoning', text: 'private' }, ...more],
})

const page = (messages: readonly object[], next: number | null) =>
  ({
    session: { source: 'codex', id: 's', title: 'T', project: null, model: 'm', messages: 500 },
    agents: [],
    messages,
    next,
  }) as unknown as TranscriptReply

describe('the description of a session for a model', () => {
  it('contains messages and tool calls of limited length, without reasoning', () => {
    const call = { type: 'tool_call', id: 'c', tool: 'Bash', input: { command: 'x'.repeat(1_000) } }
    const result = { type: 'tool_result', id: 'c', ok: false, text: 'no', duration_ms: null }
    const { messages } = describeSession(
      page([message(0, 'long '.repeat(2_000), [call, result])], null),
      0,
      10,
    )
    const [{ text }] = messages as [{ text: string }]
    expect(text.length).toBe(4_000)
    const [short] = describeSession(page([message(0, 'short', [call, result])], null), 0, 10).messages as [
      { text: string },
    ]
    expect(short.text).toMatch(/^short\n\[calls Bash: .{400}\]\n\[failed: no\]$/)
    expect(short.text).not.toContain('private')
  })

  it('ends a page early if its texts are long, and names the start of the next one', () => {
    const long = Array.from({ length: 30 }, (_, n) => message(n, 'x'.repeat(4_000)))
    const told = describeSession(page(long, 30), 0, 30)
    expect([told.messages.length, told.next]).toEqual([10, 10])
    expect(describeSession(page([message(7, 'a'), message(8, 'b')], 9), 7, 1)).toMatchObject({ next: 8 })
    expect(describeSession(page([message(7, 'a')], null), 7, 5)).toMatchObject({ next: null })
  })
})

describe('the description of costs for a model', () => {
  it('contains known cost and how much is unknown', () => {
    const row = {
      name: 'codex',
      model: null,
      source: null,
      sessions: 2,
      replies: 5,
      tokens_in: 10,
      tokens_out: 2,
      cache_read: 0,
      cache_write: 0,
      cost_micro_usd: 1_500_000,
      cost_unknown: 1,
      usage_unknown: 1,
      saved_micro_usd: 0,
    }
    expect(describeCost(row)).toMatchObject({ name: 'codex', usd: 1.5, replies_of_unknown_cost: 2 })
    expect(describeCost({ ...row, cost_unknown: 0, usage_unknown: 0 })).not.toHaveProperty(
      'replies_of_unknown_cost',
    )
    expect(describeCost({ ...row, outside_micro_usd: 250_000, outside_unknown: 1 })).toMatchObject({
      ...{ tokens_in: 10, cache_read: null },
      ...{ usd_outside_transcripts: 0.25, sessions_of_unknown_outside_cost: 1 },
    })
  })
})
