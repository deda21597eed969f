import { openProviders } from '@panoptes/engine/models'
import type { ReplayInput, TraceRecord, TraceReference } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { formatGuidance, withGuidance, withMergedGuidance } from '../guidance.ts'
import { prepareReplay } from './replay-call.ts'

const times = { started_at: 1, first_token_at: null, ended_at: 2 }
const spent = { usage: {}, cost_usd: null, cost_status: null, cost_source: null }

const reference = (label: string, said: string): TraceReference => {
  const [provider = '', model = ''] = label.replace(/\[.*/, '').split(':')
  const input_messages = [{ role: 'user', content: `view of ${label}` }]
  return {
    label,
    provider,
    model,
    temperature: 0.6,
    input_messages,
    output: said,
    ...spent,
    ...times,
    error: null,
  }
}

const guidance = (said: string): string =>
  formatGuidance({
    preset: 'p',
    aggregator: 'local:act',
    advice: [{ label: 'local:a', text: said }],
    missing: [],
    policy: 'loud',
  }) ?? ''

const record = (
  more: Partial<TraceRecord>,
  aggregator: Partial<TraceRecord['aggregator']> = {},
): TraceRecord => ({
  ts: 1,
  session_id: 's',
  preset: 'p',
  references: [],
  turn_id: 't',
  iteration: 1,
  status: 'done',
  ...more,
  aggregator: {
    label: 'local:act[reasoning=high]',
    model: 'act',
    provider: 'local',
    temperature: null,
    input_messages: [...withGuidance([{ role: 'user', content: 'q' }], guidance('x'))],
    output: 'yes',
    streamed: true,
    output_location: 'inline_from_stream',
    ...spent,
    ...times,
    error: null,
    parameters: { tools: [{ name: 'run' }], reasoning_effort: 'high' },
    ...aggregator,
  },
})

const local = { kind: 'openai' as const, base_url: 'http://127.0.0.1:9/v1', timeout: null, retries: 0 }
const providers = openProviders({ providers: { local }, env: {} })
const replayed = (records: readonly TraceRecord[], input: Omit<ReplayInput, 'turn'> = {}) =>
  prepareReplay({ records, input: { turn: 't', ...input }, presets: {}, providers })
const value = (...asked: Parameters<typeof replayed>) => {
  const result = replayed(...asked)
  if (!result.ok) throw new Error(result.message)
  return result.value
}
const two = [reference('local:a', 'x'), reference('local:a', 'y'), reference('local:b[reasoning=low]', 'z')]

describe('replayed call', () => {
  it('is the last call of its turn, with the references asked before it', () => {
    const long = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'tool', content: 'r' },
    ]
    const call = value([
      record({ references: [reference('local:old', 'x')] }),
      record({ references: two, iteration: 2 }),
      record({ iteration: 3 }, { input_messages: [...withGuidance(long, guidance('x'))] }),
      record({ iteration: 4, status: 'aborted' }, { input_messages: null }),
    ])
    expect(call.ask.messages).toEqual(long)
    expect(call.recorded.resolved.references.map(({ model }) => model)).toEqual(['a', 'a', 'b'])
    expect(call.recorded.inputs).toEqual(two.map(({ input_messages }) => input_messages))
  })

  it('has the guidance removed, wherever it was', () => {
    const said = [{ role: 'user', content: 'q' }]
    const parts = [{ role: 'user', content: [{ type: 'text', text: 'q' }, { type: 'image_url' }] }]
    for (const messages of [said, parts]) {
      const merged = withMergedGuidance(messages, guidance('x')) ?? []
      for (const input of [withGuidance(messages, guidance('x')), merged, messages])
        expect(value([record({ references: two }, { input_messages: [...input] })]).ask.messages).toEqual(
          messages,
        )
    }
  })

  it('is sent the recorded parameters, and each model its own effort', () => {
    const same = value([record({ references: two }, { temperature: 0.2 })])
    expect(same.ask.rest).toEqual({ temperature: 0.2, tools: [{ name: 'run' }] })
    expect(same.recorded.resolved.preset).toMatchObject({
      aggregator: { model: 'act', reasoning_effort: 'high' },
      reference_temperature: 0.6,
    })
    expect(same.recorded.resolved.references[2]).toMatchObject({ model: 'b', reasoning_effort: 'low' })
    const other = value([record({ references: two })], { aggregator: 'local/org/new:free' })
    expect(other.recorded.resolved.preset.aggregator).toMatchObject({
      provider: 'local',
      model: 'org/new:free',
    })
    expect(other.recorded.resolved.preset.aggregator.reasoning_effort).toBeUndefined()
    expect(value([record({})], { aggregator: 'local:new' }).recorded.resolved.preset.aggregator.model).toBe(
      'new',
    )
  })

  it('omits a reference by its number, or by its name if that is unique', () => {
    const left = (without: string) => value([record({ references: two })], { without }).recorded.inputs.length
    expect([left('1'), left('3'), left('b'), left('local/b'), left('local:b[reasoning=low]')]).toEqual([
      2, 2, 2, 2, 2,
    ])
    expect(replayed([record({ references: two })], { without: 'local:a' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('1 local:a, 2 local:a, 3 local:b[reasoning=low]'),
    })
  })

  it('is rejected if nothing was asked', () => {
    expect(replayed([record({ references: two }, { input_messages: null })])).toMatchObject({ ok: false })
  })
})
