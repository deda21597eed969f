import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunk, done, event, failed, metadata, progress, wholeRun } from '../chat.test-kit.ts'
import { addEvent, addEvents } from './run-view.ts'

describe('a run view', () => {
  it('is independent of the order and repetition of events', () => {
    const events = wholeRun()
    const straight = addEvents(null, events)
    const order = fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 })
    fc.assert(
      fc.property(order, (mixed) => {
        const run = addEvents(null, mixed)
        expect({ ...run, held: null, startedAt: null }).toEqual({ ...straight, held: null, startedAt: null })
      }),
    )
  })

  it('keeps texts and steps in the order in which they arrived', () => {
    const run = addEvents(null, wholeRun())
    expect(run?.parts).toEqual([
      { kind: 'text', text: 'First ' },
      { kind: 'nodes', ids: ['t1'] },
      { kind: 'text', text: 'second.' },
    ])
    expect(run?.text).toBe('First second.')
    expect(run?.end).toMatchObject({ kind: 'completed', durationMs: 20 })
  })

  it('holds events after a gap until the gap is filled', () => {
    const holed = addEvents(null, [metadata(1), chunk(3, 'b')])
    expect(holed?.text).toBe('')
    expect(holed && addEvent(holed, chunk(2, 'a')).text).toBe('ab')
  })

  it('merges the input and the result of a tool call', () => {
    const run = addEvents(null, wholeRun())
    expect(run?.nodes.get('t1')).toMatchObject({
      status: 'completed',
      elapsedMs: 12,
      detail: { input: { path: 'a.ts' }, output: 'x' },
    })
  })

  it('opens a question until it is answered or the run ends', () => {
    const events = wholeRun()
    expect(addEvents(null, events.slice(0, 5))?.asks[0]).toMatchObject({
      id: 'q1',
      state: 'open',
      choices: ['once', 'deny'],
      expiresAt: 9_000,
    })
    expect(addEvents(null, events)?.asks[0]).toMatchObject({ state: 'answered', choice: 'once' })
    expect(addEvents(null, [...events.slice(0, 5), failed(6)])?.asks[0]?.state).toBe('over')
  })

  it('combines thoughts that arrive in pieces or as a whole', () => {
    const thought = (seq: number, detail: object, status = 'running') =>
      progress(seq, 'r', { kind: 'reasoning', status, detail })
    const run = addEvents(null, [metadata(1), thought(2, { delta: 'I ' }), thought(3, { delta: 'think' })])
    expect(run?.nodes.get('r')?.detail).toEqual({ text: 'I think' })
    const whole = addEvents(run, [thought(4, { text: 'I thought' }, 'completed')])
    expect(whole?.nodes.get('r')?.detail).toEqual({ text: 'I thought' })
  })

  it('keeps a code block whole when a tool is called in its middle', () => {
    const run = addEvents(null, [
      metadata(1),
      chunk(2, '```ts\nlet'),
      progress(3, 't', { kind: 'tool', status: 'started' }),
      chunk(4, ' a\n```'),
    ])
    expect(run?.parts.map(({ kind }) => kind)).toEqual(['nodes', 'text'])
  })

  it('ignores events after its end and starts again with another run', () => {
    const run = addEvents(null, [metadata(1), done(2), chunk(3, 'late')])
    expect(run?.text).toBe('')
    const other = run && addEvent(run, event('metadata', 1, { run_id: 'run-2', message_id: 'a2' }))
    expect(other).toMatchObject({ runId: 'run-2', seq: 1, messageId: 'a2', end: null })
  })

  it('reads missing fields of a stream as unknown', () => {
    const bare = addEvents(null, [event('metadata', 1), event('done', 2)])
    expect(bare).toMatchObject({ messageId: null, model: null })
    expect(bare?.end).toMatchObject({ kind: 'completed', durationMs: null, usd: null })
    const refused = addEvents(null, [event('error', 1, { code: 'refused', message: 'No.' })])
    expect(refused?.end).toMatchObject({ kind: 'failed', code: 'refused', message: 'No.' })
  })

  it('reads the cost from micro-dollars or a USD amount', () => {
    const usage = (detail: object) =>
      addEvents(null, [metadata(1), progress(2, 'u', { kind: 'usage', status: 'running', detail })])?.usd
    expect(usage({ cost_micro_usd: 1_500 })).toBe(0.0015)
    expect(usage({ cost: { amount: 0.2, currency: 'USD' } })).toBe(0.2)
    expect(usage({ cost: { amount: 0.2, currency: 'EUR' } })).toBe(null)
    expect(usage({})).toBe(null)
  })
})
