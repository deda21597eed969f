import fc from 'fast-check'
import { expect, it } from 'vitest'
import { acts, slot, turn } from './moa.test-kit.ts'
import { countAdvice, groupByPlace } from './preset-slots.ts'

it('groups calls by their place in the preset', () => {
  const { references, aggregator } = groupByPlace(turn().slots)
  expect(references.map((calls) => calls.map(({ model }) => model))).toEqual([
    ['claude-opus-4-8'],
    ['claude-sonnet-4-6'],
    ['local-32b'],
    ['claude-haiku-4-5'],
  ])
  expect(aggregator.length).toBe(1)
})

it('separates two places with the same model across repeated fan-outs', () => {
  const at = (ms: number) => ({ started_at: ms, first_token_at: null, ended_at: ms + 10 })
  const slots = [
    slot({ model: 'small', ...at(0) }),
    slot({ model: 'small', ...at(1) }),
    acts(1, 20, 30),
    slot({ model: 'small', ...at(40) }),
    slot({ model: 'small', ...at(41) }),
    // No aggregator call follows, as after a turn that was stopped and asked again.
    slot({ model: 'small', ...at(60) }),
    slot({ model: 'small', ...at(61) }),
  ]
  expect(groupByPlace(slots).references.map((calls) => calls.length)).toEqual([3, 3])
})

it('loses no call, whatever the order', () => {
  const any = fc.record({ acts: fc.boolean(), from: fc.nat(1_000), for: fc.option(fc.nat(500)) })
  fc.assert(
    fc.property(fc.array(any, { maxLength: 60 }), (calls) => {
      const slots = calls.map((call) =>
        slot({
          model: 'm',
          role: call.acts ? 'aggregator' : 'reference',
          started_at: call.from,
          ended_at: call.for === null ? null : call.from + call.for,
        }),
      )
      const { references, aggregator } = groupByPlace(slots)
      expect(references.flat().length + aggregator.length).toBe(slots.length)
      expect(references.every((place) => place.length > 0)).toBe(true)
    }),
  )
})

it('counts the references that answered the last fan-out as advice', () => {
  const error = { class: 'timeout', message: '', retryable: true } as const
  const at = (ms: number) => ({ started_at: ms, ended_at: ms + 10 })
  const slots = [
    slot({ model: 'a', ...at(0), error }),
    slot({ model: 'b', ...at(0) }),
    acts(1, 20, 30),
    slot({ model: 'a', ...at(40) }),
    slot({ model: 'b', ...at(40) }),
    slot({ model: 'c', ...at(40) }),
  ]
  expect(countAdvice({ slots })).toEqual({ good: 3, all: 3 })
})
