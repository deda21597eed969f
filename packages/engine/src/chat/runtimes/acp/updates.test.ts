import { describe, expect, it } from 'vitest'
import type { Fields } from '../fields.ts'
import type { RuntimeEvent } from '../port.ts'
import { attachedIn, progressIn } from './run-adapter.test-kit.ts'
import { Updates, type UpdatesOptions } from './updates.ts'

const played = (updates: readonly Fields[], options: UpdatesOptions = {}): readonly RuntimeEvent[] => {
  const taken = new Updates(options)
  return [...updates.flatMap((update) => [...taken.take(update)]), ...taken.end('completed')]
}
const text = (sessionUpdate: string, words: string, more: Fields = {}): Fields => ({
  sessionUpdate,
  content: { type: 'text', text: words },
  ...more,
})
const call = (id: string, more: Fields): Fields => ({
  sessionUpdate: 'tool_call',
  toolCallId: id,
  title: 'Look',
  ...more,
})
const more = (id: string, fields: Fields): Fields => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: id,
  ...fields,
})
const chunksOf = (events: readonly RuntimeEvent[]) =>
  events.flatMap((event) => (event.type === 'chunk' ? [event.delta] : []))

describe('updates of an ACP agent', () => {
  it('report text as the answer, and thoughts and tools as progress', () => {
    const events = played([
      text('agent_thought_chunk', 'Let me '),
      text('agent_thought_chunk', 'look.'),
      text('agent_message_chunk', 'I look.'),
      call('1', { kind: 'read', status: 'in_progress', rawInput: { path: 'a' } }),
      more('1', { status: 'completed', rawOutput: 'found' }),
      text('agent_message_chunk', 'It is '),
      text('agent_message_chunk', 'there.'),
    ])
    expect(chunksOf(events)).toEqual(['I look.', '\n\nIt is ', 'there.'])
    expect(progressIn(events, 'reasoning')).toMatchObject([
      { node_id: 'reasoning-1', status: 'running', detail: { delta: 'Let me look.' } },
      { node_id: 'reasoning-1', status: 'completed' },
    ])
    expect(progressIn(events, 'tool')).toMatchObject([
      { node_id: '1', status: 'started', label: 'Look', detail: { name: 'read', input: { path: 'a' } } },
      { node_id: '1', status: 'completed', detail: { name: 'read', output: 'found' } },
    ])
  })

  it('add the missing start of a call that is reported when it is over', () => {
    const events = played([call('1', { kind: 'search', status: 'completed' })])
    expect(progressIn(events, 'tool').map(({ status }) => status)).toEqual(['started', 'completed'])
  })

  it('store a cancelled call as neither success nor failure, without a duration', () => {
    const events = played([call('1', { status: 'in_progress' }), more('1', { status: 'cancelled' })], {
      keepsCalls: true,
    })
    const [, ended] = progressIn(events, 'tool')
    expect(ended).toMatchObject({ status: 'skipped' })
    expect(ended?.elapsed_ms).toBeUndefined()
    expect(attachedIn(events, 'tools')).toMatchObject([[{ ok: null }]])
  })

  it('end calls whose end is never reported', () => {
    const events = played([call('1', { status: 'in_progress' })])
    expect(progressIn(events, 'tool').map(({ status }) => status)).toEqual(['started', 'completed'])
  })

  it('report additional output at intervals, however often it arrives', () => {
    const pieces = Array.from({ length: 1_000 }, (_, at) =>
      more('1', {
        status: 'in_progress',
        content: [{ type: 'content', content: { type: 'text', text: `${at}` } }],
      }),
    )
    const events = progressIn(
      played([call('1', { status: 'pending' }), ...pieces, more('1', { status: 'completed' })]),
      'tool',
    )
    expect(events.length).toBeLessThan(20)
    expect(events.at(-1)).toMatchObject({ status: 'completed', detail: { output: '999' } })
  })

  it('do not mistake the description of a call for its output', () => {
    const content = [{ type: 'content', content: { type: 'text', text: 'Lists the folder' } }]
    const [started] = progressIn(played([call('1', { status: 'pending', content })]), 'tool')
    expect(started?.detail).toEqual({ name: 'other' })
  })

  it('store file changes once and without secrets', () => {
    const key = `sk-ant-api03-${'a1B2'.repeat(22)}`
    const content = [{ type: 'diff', path: '/w/a.ts', oldText: 'one', newText: `two ${key}` }]
    const events = played([
      call('1', { kind: 'edit', status: 'in_progress', content }),
      more('1', { status: 'completed' }),
      more('1', { status: 'completed' }),
      call('2', { kind: 'edit', status: 'failed', content }),
    ])
    const diffs = attachedIn(events, 'diff')
    expect(diffs).toMatchObject([{ path: '/w/a.ts', old_text: 'one' }])
    expect(JSON.stringify(events)).not.toContain(key)
  })

  it('store the calls with the answer only if nothing else records them', () => {
    const updates = [
      call('1', { kind: 'read', status: 'completed', rawInput: { path: 'a' }, rawOutput: 'found' }),
      call('2', { kind: 'execute', status: 'failed' }),
    ]
    expect(attachedIn(played(updates), 'tools')).toEqual([])
    expect(attachedIn(played(updates, { keepsCalls: true }), 'tools')).toEqual([
      [
        { name: 'read', input: { path: 'a' }, output: 'found', ok: true },
        { name: 'execute', ok: false },
      ],
    ])
  })

  it("use the agent's own name for a call if it has one", () => {
    const [started] = progressIn(
      played([call('1', { kind: 'execute', _meta: { claudeCode: { toolName: 'Bash' } } })]),
      'tool',
    )
    expect(started?.detail).toMatchObject({ name: 'Bash' })
  })

  it("report the agent's own plan as a whole and the steps it reaches", () => {
    const events = played([
      {
        sessionUpdate: 'plan',
        entries: [
          { content: 'Read', status: 'completed' },
          { content: 'Write', status: 'in_progress' },
          { content: 'Test', status: 'pending' },
        ],
      },
    ])
    expect(progressIn(events, 'plan')).toMatchObject([
      { node_id: 'own-plan', status: 'running', label: 'Its own plan: 1 of 3 done' },
    ])
    expect(progressIn(events, 'step')).toMatchObject([
      { label: 'Read', status: 'completed', parent_id: 'own-plan' },
      { label: 'Write', status: 'running', parent_id: 'own-plan' },
    ])
  })

  it('include pictures and files up to a limit', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'a'.repeat(1_500_000) }
    const events = played(
      Array.from({ length: 5 }, () => ({ sessionUpdate: 'agent_message_chunk', content: image })),
    )
    expect(attachedIn(events, 'image')).toHaveLength(2)
  })

  it('ignore unknown kinds', () => {
    expect(
      played([{ sessionUpdate: 'of_tomorrow', content: 7 }, { sessionUpdate: 'agent_message_chunk' }, {}]),
    ).toEqual([])
  })

  it('hold back text that may be an error until the end', () => {
    const taken = new Updates({ doubtful: /^Error/ })
    const words = ['Error: ', 'no key'].map((each) => text('agent_message_chunk', each))
    expect(words.flatMap((each) => [...taken.take(each)])).toEqual([])
    expect(taken.held).toBe('Error: no key')
  })
})
