import type { ErrorClass, MoaTurn, TraceRecord, TurnSlot } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { diffTurns, type TracedTurn } from './turn-diff.ts'

interface Said {
  readonly label: string
  readonly text?: string
  readonly error?: ErrorClass
  readonly cost?: number
  readonly ms?: number
}

const slot = (role: TurnSlot['role'], { label, error, cost, ms = 5 }: Said): TurnSlot => ({
  role,
  label,
  provider: 'p',
  model: label,
  started_at: 1_000,
  first_token_at: null,
  ended_at: 1_000 + ms,
  usage: null,
  cost_micro_usd: cost ?? null,
  error: error ? { class: error, message: `it said ${error}` } : null,
  iteration: role === 'aggregator' ? 1 : null,
  output_chars: null,
})

/** Builds a recorded turn of one call. */
function written(references: readonly Said[], acting: Said | null): TracedTurn {
  const slots = references.map((one) => slot('reference', one))
  const times = { started_at: 1_000, first_token_at: null, ended_at: 1_005 }
  const line = (one: Said) => ({
    label: one.label,
    model: one.label,
    provider: 'p',
    temperature: null,
    usage: {},
    cost_usd: null,
    cost_status: null,
    cost_source: null,
    ...times,
    error: one.error ?? null,
  })
  const record: TraceRecord = {
    ts: 1,
    session_id: 's',
    preset: 'p',
    references: references.map((one) => ({
      ...line(one),
      input_messages: [],
      output: one.error ? `[failed: ${one.error}]` : (one.text ?? ''),
    })),
    aggregator: {
      ...line(acting ?? { label: 'act' }),
      input_messages: acting ? [{ role: 'user', content: 'q' }] : null,
      output: acting?.text ?? null,
      streamed: false,
      output_location: 'inline',
    },
    turn_id: 't',
    iteration: 1,
    status: 'done',
  }
  const turn: MoaTurn = {
    id: 't',
    session_id: 's',
    preset: 'p',
    from: 'run',
    replay_of: null,
    started_at: 1_000,
    ended_at: 2_000,
    status: acting === null ? 'aborted' : acting.error ? 'failed' : 'done',
    question: 'q',
    iterations: 1,
    overhead_ms: null,
    cost_micro_usd: 0,
    cost_unknown: 0,
    traced: true,
    slots: acting ? [...slots, slot('aggregator', acting)] : slots,
  }
  return { turn, records: [record] }
}

describe('diff of a turn and its replay when something failed', () => {
  it('explains for both sides why the acting model did not answer', () => {
    const limited = written([], { label: 'act', error: 'rate_limited' })
    const diff = diffTurns(limited, written([], { label: 'act', text: 'yes', cost: 3 }))
    expect(diff.error).toEqual({
      before: { class: 'rate_limited', message: 'it said rate_limited' },
      after: null,
    })
    expect([diff.before.status, diff.after.status]).toEqual(['failed', 'done'])
    expect(diff.answer).toEqual([{ type: 'added', text: 'yes' }])
    expect(diffTurns(limited, limited).answer).toEqual([])
    expect(diffTurns(limited, written([], null)).error.after).toBeNull()
  })

  it('does not treat a failure note as the text of a reference', () => {
    const before = written(
      [
        { label: 'a', error: 'auth' },
        { label: 'b', error: 'timeout' },
        { label: 'c', text: 'x' },
        { label: 'd', text: 'x' },
      ],
      { label: 'act', text: 'yes' },
    )
    const after = written(
      [
        { label: 'a', error: 'auth' },
        { label: 'b', text: 'x' },
        { label: 'c', error: 'skipped' },
        { label: 'd', text: 'x' },
      ],
      { label: 'act', text: 'yes' },
    )
    const { references } = diffTurns(before, after)
    expect(references.map(({ change, text }) => [change, text?.length])).toEqual([
      ['unanswered', undefined],
      ['changed', undefined],
      ['changed', undefined],
      ['same', 1],
    ])
    expect(references.map((one) => [one.before?.error?.class, one.after?.error?.class])).toEqual([
      ['auth', 'auth'],
      ['timeout', undefined],
      [undefined, 'skipped'],
      [undefined, undefined],
    ])
  })

  it('counts unknown cost as the turn does: refused and unasked slots cost nothing', () => {
    const refused = (['auth', 'invalid', 'not_found', 'too_long', 'rate_limited'] as const).map((error) => ({
      label: error,
      error,
    }))
    const others = [
      { label: 'left out', error: 'skipped', ms: 0 },
      { label: 'stopped', error: 'skipped', ms: 9 },
      { label: 'late', error: 'timeout' },
      { label: 'unpriced', text: 'x' },
      { label: 'priced', text: 'x', cost: 7 },
    ] as const
    const diff = diffTurns(
      written([...refused, ...others], { label: 'act', text: 'yes', cost: 3 }),
      written([], null),
    )
    expect(diff.cost_unknown).toEqual({ before: 3, after: 0 })
    expect(diff.cost_micro_usd).toEqual({ before: 10, after: 0 })
  })
})
