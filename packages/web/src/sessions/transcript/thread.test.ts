import type { ContentBlock, Message, SessionAgent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { arrange, entriesOf, type Part, tookOf } from './thread.ts'

const message = (role: Message['role'], content: ContentBlock[], more: Partial<Message> = {}): Message => ({
  id: 'm',
  session_id: 's',
  role,
  ts: 1_000,
  model: null,
  agent_id: 'main',
  content,
  usage: null,
  state: 'active',
  hidden: false,
  ...more,
})
const text = (said: string): ContentBlock => ({ type: 'text', text: said })
const call = (id: string): ContentBlock => ({ type: 'tool_call', id, tool: 'Task', input: {} })
const result = (id: string): ContentBlock => ({
  type: 'tool_result',
  id,
  ok: true,
  text: 'r',
  duration_ms: null,
})
const image: ContentBlock = { type: 'image', media_type: 'image/png', data: 'AA==' }
const agent = (id: string, tool_use_id: string | null, parent_id: string | null = 'main'): SessionAgent => ({
  id,
  parent_id,
  subagent_type: null,
  description: null,
  tool_use_id,
})
const placed = (messages: readonly Message[]) => messages.map((one, n) => ({ n, message: one }))
const callIn = (parts: readonly Part[] | undefined) => {
  const found = parts?.find((part) => part.kind === 'call')
  if (found?.kind !== 'call') throw new Error('no call is there')
  return found
}

describe('a transcript', () => {
  it('shows results, and the images in them, with the calls they answer', () => {
    const { main, shownAt } = arrange(
      placed([message('assistant', [call('c')]), message('user', [result('c'), image], { ts: 1_084 })]),
      [agent('main', null, null)],
    )
    expect(main.entries.map((entry) => entry.n)).toEqual([0])
    const found = callIn(main.entries[0]?.parts)
    expect(found).toMatchObject({ result: { text: 'r' }, pictures: [image] })
    expect(tookOf(found)).toBe(84)
    expect(shownAt.get(1)).toBe(0)
  })

  it('keeps results whose calls are not there', () => {
    const { main } = arrange(placed([message('user', [result('gone')])]), [])
    expect(main.entries[0]?.parts).toEqual([{ kind: 'block', block: result('gone') }])
  })

  it('nests agents under the calls that made them, however deep', () => {
    const { main } = arrange(
      placed([
        message('assistant', [call('c1')]),
        message('assistant', [call('c2')], { agent_id: 'a' }),
        message('assistant', [text('deep')], { agent_id: 'b' }),
      ]),
      [agent('main', null, null), agent('a', 'c1'), agent('b', 'c2', 'a')],
    )
    const a = callIn(main.entries[0]?.parts).made[0]
    expect(callIn(a?.entries[0]?.parts).made[0]?.agent.id).toBe('b')
    expect([...entriesOf(main)].map((entry) => entry.n)).toEqual([0, 1, 2])
  })

  it('loses nobody whose call is not known, or who would be under itself', () => {
    const { main } = arrange(
      placed([
        message('assistant', [call('ca')], { agent_id: 'a' }),
        message('assistant', [call('cb')], { agent_id: 'b' }),
        message('assistant', [text('stray')], { agent_id: 'c' }),
      ]),
      [agent('a', 'cb', 'b'), agent('b', 'ca', 'a'), agent('unread', 'x')],
    )
    expect([...entriesOf(main)].map((entry) => entry.n).sort()).toEqual([0, 1, 2])
  })
})
