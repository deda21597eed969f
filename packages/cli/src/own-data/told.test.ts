import type { TranscriptReply } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { costTold } from './cost-told.ts'
import { sessionTold } from './told.ts'

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

describe('what a model is told of a session', () => {
  it('is what was said and done, without thoughts, each in bounds', () => {
    const call = { type: 'tool_call', id: 'c', tool: 'Bash', input: { command: 'x'.repeat(1_000) } }
    const result = { type: 'tool_result', id: 'c', ok: false, text: 'no', duration_ms: null }
    const { messages } = sessionTold(page([message(0, 'long '.repeat(2_000), [call, result])], null), 0, 10)
    const [{ text }] = messages as [{ text: string }]
    expect(text.length).toBe(4_000)
    const [short] = sessionTold(page([message(0, 'short', [call, result])], null), 0, 10).messages as [
      { text: string },
    ]
    expect(short.text).toMatch(/^short\n\[calls Bash: .{400}\]\n\[failed: no\]$/)
    expect(short.text).not.toContain('private')
  })

  it('ends a page early where it is long, and says where the next one begins', () => {
    const long = Array.from({ length: 30 }, (_, n) => message(n, 'x'.repeat(4_000)))
    const told = sessionTold(page(long, 30), 0, 30)
    expect([told.messages.length, told.next]).toEqual([10, 10])
    expect(sessionTold(page([message(7, 'a'), message(8, 'b')], 9), 7, 1)).toMatchObject({ next: 8 })
    expect(sessionTold(page([message(7, 'a')], null), 7, 5)).toMatchObject({ next: null })
  })
})

describe('what a model is told of costs', () => {
  it('is money where it is known, and how much is not', () => {
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
    expect(costTold(row)).toMatchObject({ name: 'codex', usd: 1.5, replies_of_unknown_cost: 2 })
    expect(costTold({ ...row, cost_unknown: 0, usage_unknown: 0 })).not.toHaveProperty(
      'replies_of_unknown_cost',
    )
  })
})
