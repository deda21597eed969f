import { describe, expect, it } from 'vitest'
import { inserting } from '../conformance/insert-rows.ts'
import { messagesOf, sessionOf } from '../conformance/records.ts'
import { fingerprints, makeState, readOne, tempHome } from './hermes.test-kit.ts'
import { hermesSource } from './index.ts'

function oneSession(rows: readonly Parameters<ReturnType<typeof makeState>['message']>[0][]) {
  const home = tempHome()
  const state = makeState(home)
  state.session({ id: 's1', model: 'openai/gpt-5.4' })
  for (const row of rows) state.message({ session_id: 's1', ...row })
  return readOne(hermesSource(home), 's1')
}

const calls = (name: string, args: unknown) =>
  JSON.stringify([{ id: 'c1', type: 'function', function: { name, arguments: JSON.stringify(args) } }])

describe('a message row', () => {
  it('contains plain text, or parts behind a control character', async () => {
    const parts = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
    ]
    const messages = messagesOf(
      await oneSession([
        { content: 'hello' },
        { content: `\0json:${JSON.stringify(parts)}` },
        { content: '\u0001json:"alone"' },
        { content: '\0json:{not json' },
      ]),
    )
    expect(messages.map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'hello' }],
      [
        { type: 'text', text: 'look' },
        { type: 'image', media_type: 'image/png', data: 'AA' },
        { type: 'image', media_type: null, data: null, url: 'https://example.org/a.png' },
      ],
      [{ type: 'text', text: 'alone' }],
      [{ type: 'text', text: '{not json' }],
    ])
  })

  it('contains calls with their arguments, with or without text', async () => {
    const call = { type: 'tool_call', id: 'c1', tool: 'terminal', input: { command: 'ls' } }
    const messages = messagesOf(
      await oneSession([
        { role: 'assistant', content: null, tool_calls: calls('terminal', { command: 'ls' }) },
        { role: 'assistant', content: '', tool_calls: calls('terminal', { command: 'ls' }) },
        { role: 'assistant', content: 'now', tool_calls: calls('terminal', { command: 'ls' }) },
        { role: 'assistant', tool_calls: '{"name": "memory", "arguments": "no json"}' },
      ]),
    )
    expect(messages.map(({ content }) => content)).toEqual([
      [call],
      [call],
      [{ type: 'text', text: 'now' }, call],
      [{ type: 'tool_call', id: '', tool: 'memory', input: 'no json' }],
    ])
    expect(messages[0]).toMatchObject({ role: 'assistant', model: 'openai/gpt-5.4', usage: null })
  })

  it('reports unreadable calls and keeps the text next to them', async () => {
    const records = await oneSession([{ role: 'assistant', content: 'x', tool_calls: '[{"broken": ' }])
    expect(messagesOf(records)).toHaveLength(1)
    expect(records).toContainEqual({
      kind: 'skipped',
      place: expect.stringContaining('state.db#s1:1'),
      reason: 'has tool calls that are not JSON, or are nested too deep',
    })
  })

  it('contains answer and reasoning in the Codex columns', async () => {
    const answer = [{ type: 'message', content: [{ type: 'output_text', text: 'done' }] }]
    const thought = [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] }]
    const [codex, plain] = messagesOf(
      await oneSession([
        {
          role: 'assistant',
          content: '',
          codex_message_items: JSON.stringify(answer),
          codex_reasoning_items: JSON.stringify(thought),
        },
        { role: 'assistant', content: 'yes', reasoning: 'because' },
      ]),
    )
    expect(codex?.content).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'done' },
    ])
    expect(plain?.content).toEqual([
      { type: 'reasoning', text: 'because' },
      { type: 'text', text: 'yes' },
    ])
  })

  it('distinguishes failed results', async () => {
    const results: readonly (readonly [string, boolean])[] = [
      ['{"output": "", "exit_code": 0, "error": null}', true],
      ['{"output": "", "exit_code": 2, "error": null}', false],
      ['{"success": false}', false],
      ['{"ok": false}', false],
      ['{"returncode": 1}', false],
      ['{"error": "no such file"}', false],
      ['{"success": true, "note": "\\"error\\" is only a word"}', true],
      ["Error executing tool 'patch': boom", false],
      ['plain text about an "error"', true],
    ]
    const rows = results.map(([content]) => ({ role: 'tool', tool_call_id: 'c1', content }))
    const messages = messagesOf(await oneSession(rows))
    expect(messages.map(({ content: [block] }) => [block?.text, block?.ok])).toEqual(results)
  })

  it('shows what compaction, rewinding and display settings removed', async () => {
    const messages = messagesOf(
      await oneSession([
        { content: 'early', active: 0, compacted: 1 },
        { content: 'taken back', active: 0 },
        { content: 'in short', _compressed_summary: 1 },
        { content: 'scaffolding', display_kind: 'hidden' },
        { content: 'overheard', observed: 1 },
        { content: 'Review the conversation above and save what matters.' },
        { content: '[IMPORTANT: Background process proc_1 completed normally (exit code 0).\nOutput:\nok]' },
        { content: '[System: Your previous response was truncated by the output length limit.]' },
        { content: '[IMPORTANT: The user has invoked the "tidy" skill, as follows.]\n\nTidy up' },
        { content: 'hello' },
      ]),
    )
    expect(messages.map(({ state, hidden }) => `${state}${hidden ? ' hidden' : ''}`)).toEqual([
      'compacted',
      'rewound',
      'summary',
      'active hidden',
      'active hidden',
      'active hidden',
      'active hidden',
      'active hidden',
      'active',
      'active',
    ])
  })

  it('is read in the order of writing, whatever its time', async () => {
    const messages = messagesOf(
      await oneSession([
        { content: 'first', timestamp: 1_790_000_009.5 },
        { content: 'second', timestamp: 1_790_000_001 },
      ]),
    )
    expect(messages.map(({ ts }) => ts)).toEqual([1_790_000_009_500, 1_790_000_001_000])
  })
})

describe('the metadata of a session', () => {
  it('is read from an old database version', async () => {
    const home = tempHome()
    const state = makeState(home, { schema: 'schema_v11.sql' })
    state.session({ id: 'old', title: null, end_reason: 'user_exit', ended_at: 1_790_000_050 })
    state.message({ session_id: 'old', content: 'first line\nand more' })
    expect(sessionOf(await readOne(hermesSource(home), 'old'))).toMatchObject({
      title: 'first line',
      started_at: 1_790_000_000_000,
      last_at: 1_790_000_001_000,
      ended_at: 1_790_000_050_000,
      usage: null,
      cost_micro_usd: null,
    })
  })

  it('has the total tokens and prefers the actual cost to the estimate', async () => {
    const home = tempHome()
    const state = makeState(home)
    const tokens = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 100 }
    state.session({ id: 'a', ...tokens, estimated_cost_usd: 0.5, actual_cost_usd: 0.25 })
    state.session({ id: 'b', ...tokens, estimated_cost_usd: 0.5 })
    state.session({ id: 'c', ...tokens, estimated_cost_usd: 0, cost_status: 'unknown' })
    state.session({ id: 'd', ...tokens, estimated_cost_usd: 0, cost_status: 'included' })
    const source = hermesSource(home)
    const costs = []
    for (const id of ['a', 'b', 'c', 'd']) costs.push(sessionOf(await readOne(source, id)).cost_micro_usd)
    expect(costs).toEqual([250_000, 500_000, null, 0])
    expect(sessionOf(await readOne(source, 'a')).usage).toMatchObject({
      input: 10,
      output: 5,
      cache_read: 100,
      cache_write: 0,
    })
  })

  it('names the relation to its parent', async () => {
    const home = tempHome()
    const { session } = makeState(home)
    const from = (marker: string, id: string) => JSON.stringify({ [marker]: id })
    session({ id: 'p', session_key: 'chat', ended_at: 1_790_000_010, end_reason: 'compression' })
    session({ id: 'q', session_key: 'chat', ended_at: 1_790_000_010, end_reason: 'session_reset' })
    const later = { started_at: 1_790_000_020 }
    session({ id: 'compression', parent_session_id: 'p', ...later })
    session({ id: 'delegate', parent_session_id: 'p', model_config: from('_delegate_from', 'p'), ...later })
    session({ id: 'delegate2', parent_session_id: 'p', source: 'subagent', ...later })
    session({ id: 'branch', parent_session_id: 'p', model_config: from('_branched_from', 'p'), ...later })
    session({ id: 'reset', parent_session_id: 'q', model_config: from('_reset_from', 'q'), ...later })
    session({ id: 'reset2', parent_session_id: 'q', session_key: 'chat', ...later })
    // It continues a delegate and inherited that delegate's marker.
    session({ id: 'handed', parent_session_id: 'p', model_config: from('_delegate_from', 'x'), ...later })
    session({ id: 'orphan', model_config: from('_delegate_from', 'gone') })
    const source = hermesSource(home)
    const lineage = async (id: string) => sessionOf(await readOne(source, id)).lineage
    expect(await lineage('p')).toBe('root')
    for (const id of ['compression', 'delegate', 'branch', 'reset']) expect(await lineage(id)).toBe(id)
    expect(await lineage('delegate2')).toBe('delegate')
    expect(await lineage('reset2')).toBe('reset')
    expect(await lineage('handed')).toBe('compression')
    expect(sessionOf(await readOne(source, 'orphan'))).toMatchObject({
      lineage: 'delegate',
      parent_id: 'gone',
    })
  })
})

describe('auxiliary calls', () => {
  const spent = { model: 'gpt-5.4-mini', input_tokens: 900, output_tokens: 12, api_call_count: 1 }

  it('are reported with tokens and cost, separate from the conversation', async () => {
    const home = tempHome()
    const { db, session } = makeState(home)
    session({ id: 's1', model: 'gpt-5.4', input_tokens: 10, output_tokens: 2 })
    const insert = inserting(db)
    const usage = (row: object) => insert('session_model_usage', { session_id: 's1', ...spent, ...row })
    usage({ task: '', input_tokens: 10 })
    usage({ task: 'title_generation' })
    usage({ task: 'compression', model: 'unknown', estimated_cost_usd: 0.0021 })
    const { client_spending, usage: own } = sessionOf(await readOne(hermesSource(home), 's1'))
    expect(own).toMatchObject({ input: 10, output: 2 })
    expect(client_spending).toEqual({
      kind: 'calls',
      calls: expect.arrayContaining([
        {
          model: 'gpt-5.4-mini',
          usage: expect.objectContaining({ input: 900, output: 12 }),
          cost_micro_usd: null,
        },
        { model: null, usage: expect.objectContaining({ input: 900, output: 12 }), cost_micro_usd: 2_100 },
      ]),
    })
  })

  it('are unknown when none was counted', async () => {
    expect(sessionOf(await oneSession([{ content: 'hello' }]))).not.toHaveProperty('client_spending')
  })

  it('change the fingerprint of their own session only', async () => {
    const home = tempHome()
    const { db, session } = makeState(home)
    session({ id: 's1' })
    session({ id: 's2' })
    const before = await fingerprints(hermesSource(home))
    inserting(db)('session_model_usage', { session_id: 's1', ...spent, task: 'vision' })
    const after = await fingerprints(hermesSource(home))
    expect(after.get('s1')).not.toBe(before.get('s1'))
    expect(after.get('s2')).toBe(before.get('s2'))
  })
})
