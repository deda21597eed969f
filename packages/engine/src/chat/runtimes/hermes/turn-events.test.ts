import { describe, expect, it } from 'vitest'
import type { Fields } from '../fields.ts'
import type { RuntimeEvent } from '../port.ts'
import { EventTranslator } from './turn-events.ts'

const place = { url: 'http://127.0.0.1:1', key: 'the-key' }

/** Translates events of Hermes. */
function heard(...events: readonly (readonly [string, Fields])[]) {
  const told = new EventTranslator(place)
  const out: RuntimeEvent[] = []
  for (const [name, data] of events) out.push(...told.take({ name, data }))
  const text = out.map((event) => (event.type === 'chunk' ? event.delta : '')).join('')
  const progress = out.filter((event) => event.type === 'progress')
  const attached = out.flatMap((event) => (event.type === 'attachment' ? [event.attachment] : []))
  return { told, text, progress, attached }
}
const said = (delta: string) => ['assistant.delta', { delta }] as const
const completed = (output: string, more: Fields = {}) => ['run.completed', { output, ...more }] as const

describe('events of Hermes', () => {
  it('stream text in pieces without repeating it at the end', () => {
    expect(heard(said('One '), said('two.'), completed('One two.')).text).toBe('One two.')
    expect(heard(said('One '), completed('One two.')).text).toBe('One two.')
    expect(heard(completed('One two.')).text).toBe('One two.')
    expect(heard(['assistant.completed', { content: 'One.' }], completed('')).text).toBe('One.')
  })

  it('start a new paragraph after a tool', () => {
    const { text } = heard(
      said('I look.'),
      ['tool.started', { tool_name: 'terminal', args: { command: 'ls' } }],
      ['tool.completed', { tool_name: 'terminal' }],
      said('It is '),
      completed('It is there.'),
    )
    expect(text).toBe('I look.\n\nIt is there.')
  })

  it('do not start with the empty lines that Hermes sends after a tool', () => {
    const tool = ['tool.started', { tool: 'terminal' }] as const
    expect(heard(tool, said('\n'), said('\nIt is'), completed('It is so.')).text).toBe('It is so.')
    expect(heard(said('I look.'), tool, said('\n\nIt is'), completed('It is so.')).text).toBe(
      'I look.\n\nIt is so.',
    )
  })

  it('contain thoughts separately from the text, and do not take the answer for one', () => {
    const { text, progress } = heard(
      ['reasoning.delta', { delta: 'The sea' }],
      said('Blue.'),
      ['reasoning.available', { text: 'Blue.' }],
      completed('Blue.'),
    )
    expect(text).toBe('Blue.')
    expect(progress.map(({ status, detail }) => [status, detail])).toEqual([
      ['running', { delta: 'The sea' }],
      ['completed', undefined],
    ])
    expect(heard(['tool.progress', { tool_name: '_thinking', delta: 'Hm.' }]).progress).toMatchObject([
      { kind: 'reasoning', detail: { delta: 'Hm.' } },
      { kind: 'reasoning', status: 'completed' },
    ])
  })

  it('separate calls of the same tool and take their results from the transcript', () => {
    const start = (command: string) =>
      ['tool.started', { tool: 'terminal', preview: command, args: { command } }] as const
    const { progress, attached } = heard(
      start('one'),
      start('two'),
      ['tool.completed', { tool: 'terminal', duration: 0.5, error: true }],
      ['tool.completed', { tool: 'terminal', duration: 0.7, error: false }],
      completed('Both.', {
        messages: [
          { role: 'tool', tool_name: 'terminal', content: 'first' },
          { role: 'tool', tool_name: 'terminal', content: 'second' },
        ],
      }),
    )
    expect(progress.map(({ node_id, status }) => [node_id, status])).toEqual([
      ['tool-1', 'started'],
      ['tool-2', 'started'],
      ['tool-1', 'failed'],
      ['tool-2', 'completed'],
    ])
    expect(progress[2]).toMatchObject({ elapsed_ms: 500, label: 'one' })
    expect(attached).toMatchObject([
      {
        kind: 'tools',
        data: [
          { name: 'terminal', input: { command: 'one' }, output: 'first', ok: false },
          { name: 'terminal', input: { command: 'two' }, output: 'second', ok: true },
        ],
      },
    ])
  })

  it('are equivalent through chat completions', () => {
    const { told, text, progress } = heard(
      ['', { choices: [{ delta: { role: 'assistant' } }] }],
      ['', { choices: [{ delta: { reasoning_content: 'Hm.' } }] }],
      ['hermes.tool.progress', { tool: 'terminal', label: 'ls', toolCallId: 'call_1', status: 'running' }],
      ['hermes.tool.progress', { tool: 'terminal', toolCallId: 'call_1', status: 'completed' }],
      ['', { choices: [{ delta: { content: 'Yes.' } }] }],
      [
        '',
        {
          choices: [{ delta: {}, finish_reason: 'stop' }],
          usage: { prompt_tokens: 9, completion_tokens: 2 },
        },
      ],
      ['[DONE]', {}],
    )
    expect(text).toBe('Yes.')
    expect(progress.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'reasoning running',
      'reasoning completed',
      'tool started',
      'tool completed',
    ])
    expect(told.ended).toEqual({ type: 'end', outcome: 'completed', usage: { input: 9, output: 2 } })
  })

  it('may end early, be stopped elsewhere, or fail', () => {
    const finish = (reason: string, more: Fields = {}) =>
      heard(['', { choices: [{ delta: {}, finish_reason: reason }], ...more }], ['[DONE]', {}]).told.ended
    expect(finish('length')).toMatchObject({ type: 'end', outcome: 'length' })
    expect(finish('error', { error: { message: '401 unauthorized' } })).toMatchObject({
      code: 'unauthorized',
    })
    expect(heard(['run.cancelled', {}]).told.ended).toEqual({ type: 'end', outcome: 'cancelled' })
    expect(heard(['error', { message: 'It timed out' }]).told.ended).toMatchObject({ code: 'timed_out' })
    expect(heard(['run.failed', { error: 'no more' }]).told.ended).toMatchObject({ code: 'provider_error' })
  })

  it('end with any end event, except one without an answer or a reason', () => {
    const completed = { type: 'end', outcome: 'completed' }
    expect(heard(said('a'), ['assistant.completed', { content: 'ab' }], ['done', {}])).toMatchObject({
      text: 'ab',
      told: { ended: completed },
    })
    expect(heard(['assistant.completed', { content: 'Whole.' }], ['done', {}]).text).toBe('Whole.')
    const chunk = ['', { choices: [{ delta: { content: 'Yes.' } }] }] as const
    const usage = ['', { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } }] as const
    expect(heard(chunk, usage, ['[DONE]', {}]).told.ended).toEqual({
      ...completed,
      usage: { input: 9, output: 2 },
    })
    expect(heard(['[DONE]', {}]).told.ended).toBeNull()
    const problem = ['', { choices: [], error: { message: '429 too many' } }] as const
    expect(heard(problem, ['[DONE]', {}]).told.ended).toMatchObject({ code: 'rate_limited' })
  })

  it('take the answer from the transcript if it is nowhere else', () => {
    const before = [
      { role: 'assistant', content: 'Long ago.' },
      { role: 'user', content: 'Well?' },
    ]
    const after = [{ role: 'assistant', content: [{ type: 'text', text: 'Now.' }] }, { role: 'tool' }]
    const ended = (messages: readonly Fields[]) => ['run.completed', { messages }] as const
    expect(heard(ended([...before, ...after])).text).toBe('Now.')
    expect(heard(ended(before)).text).toBe('')
    expect(heard(said('Now'), ended([...before, ...after])).text).toBe('Now')
    const tool = ['tool.started', { tool: 'terminal' }] as const
    expect(heard(said('I look.'), tool, ended([...before, ...after])).text).toBe('I look.\n\nNow.')
  })

  it('report a failed tool and the reason', () => {
    const { progress } = heard(
      ['tool.started', { tool: 'terminal' }],
      ['tool.completed', { tool: 'terminal', error: 'No such file' }],
    )
    expect(progress.at(-1)).toMatchObject({ status: 'failed', detail: { output: 'No such file' } })
  })

  it('report a denied call as skipped, without a duration, and a failed command as failed', () => {
    const call = (result: object) =>
      heard(
        ['tool.started', { tool: 'terminal' }],
        ['tool.completed', { tool: 'terminal', duration: 2, result: JSON.stringify(result) }],
        completed('Over.'),
      )
    const denied = call({ output: '', exit_code: -1, error: 'BLOCKED: User denied', status: 'blocked' })
    expect(denied.progress.at(-1)).toMatchObject({ status: 'skipped' })
    expect(denied.progress.at(-1)?.elapsed_ms).toBeUndefined()
    expect(denied.attached).toMatchObject([{ data: [{ ok: null }] }])
    const failed = call({ output: '', exit_code: 5, error: null })
    expect(failed.progress.at(-1)).toMatchObject({ status: 'failed', elapsed_ms: 2_000 })
    expect(failed.attached).toMatchObject([{ data: [{ ok: false }] }])
  })

  it('end a call that was in progress when the run failed as neither success nor failure', () => {
    const { progress, attached } = heard(
      ['tool.started', { tool: 'terminal' }],
      ['run.failed', { error: 'gone' }],
    )
    expect(progress.at(-1)).toMatchObject({ status: 'skipped' })
    expect(attached).toMatchObject([{ data: [{ ok: null }] }])
  })

  it('report a failure if an error is sent as the answer and the model produced nothing', () => {
    const usage = { input_tokens: 0, output_tokens: 0 }
    const { told, text } = heard(
      ['assistant.completed', { content: 'HTTP 401: status 401' }],
      completed('', { usage }),
    )
    expect([told.ended, text]).toMatchObject([{ type: 'failed', code: 'unauthorized' }, ''])
    expect(heard(said('It failed.'), completed('It failed.', { usage })).told.ended).toEqual({
      type: 'end',
      outcome: 'completed',
    })
  })

  it('report the agents Hermes delegates to', () => {
    const { progress } = heard(
      ['subagent.start', { subagent_id: 'sa-0', goal: 'Look it up', child_session_id: 's2' }],
      [
        'subagent.complete',
        { subagent_id: 'sa-0', goal: 'Look it up', status: 'failed', duration_seconds: 2 },
      ],
    )
    expect(progress).toMatchObject([
      { kind: 'subagent', status: 'started', label: 'Look it up', node_id: 'subagent-sa-0' },
      { kind: 'subagent', status: 'failed', elapsed_ms: 2_000, node_id: 'subagent-sa-0' },
    ])
  })

  it('may contain anything without breaking the run', () => {
    const odd = [null, 7, [], 'x', { a: 1 }]
    const names = [
      'assistant.delta',
      'tool.started',
      'tool.completed',
      'run.completed',
      'error',
      '',
      'new.thing',
    ]
    for (const name of names)
      for (const one of odd)
        expect(() =>
          heard([
            name,
            { delta: one, tool: one, args: one, choices: one, usage: one, error: one, messages: one },
          ]),
        ).not.toThrow()
  })
})
