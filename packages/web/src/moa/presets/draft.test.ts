import { check, moaPresetInput } from '@panoptes/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { presetsReply } from '../moa.test-kit.ts'
import { draftOf, emptyDraft, isWhole, otherProblems, presetOf, problemsAt } from './draft.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown

it('sends a preset as it came', () => {
  for (const { name, preset } of presetsReply().presets) {
    const checked = check(moaPresetInput, plain(presetOf(draftOf(name, preset))))
    expect(checked.ok && checked.value).toEqual(preset)
  }
})

it('sends whatever figures there may be as they were', () => {
  const figure = fc.option(fc.integer({ min: 1, max: 1_000 }))
  const [one] = presetsReply().presets
  if (!one) throw new Error('there is no preset')
  fc.assert(
    fc.property(figure, figure, fc.integer({ min: 2, max: 99 }), (deadline, quorum, n) => {
      const preset = { ...one.preset, deadline, quorum, fanout: `every_n:${n}` }
      expect(plain(presetOf(draftOf('x', preset)))).toMatchObject({
        deadline,
        quorum,
        fanout: `every_n:${n}`,
      })
    }),
  )
})

it('sends every field of a preset from where it was typed', () => {
  const [one] = presetsReply().presets
  if (!one) throw new Error('there is no preset')
  const preset = {
    ...one.preset,
    enabled: false,
    reference_tool_result_budget: 1_001,
    reference_timeout: 2,
    deadline: 3,
    quorum: 1,
    max_cost_usd: 0.5,
    reference_temperature: 0.6,
    aggregator_temperature: 0.7,
    fanout: 'per_iteration',
    degraded_reference_policy: 'silent' as const,
  }
  expect(plain(presetOf(draftOf('x', preset)))).toEqual(plain(preset))
})

it('sends what is no figure as it was typed, so that the server says what is wrong', () => {
  const draft = { ...emptyDraft('claude'), quorum: 'most', maxCost: ' 0.5 ', deadline: '' }
  expect(presetOf(draft)).toMatchObject({ quorum: 'most', max_cost_usd: 0.5, deadline: null })
  const checked = check(moaPresetInput, plain(presetOf(draft)))
  if (checked.ok) throw new Error('it should be wrong')
  expect(problemsAt(checked.problems, 'quorum')).toEqual(['must be a whole number'])
  expect(problemsAt(checked.problems, 'reference_models.1.model')).toEqual(['must not be empty'])
  expect(problemsAt(checked.problems, 'deadline')).toEqual([])
})

it('knows what belongs to no field', () => {
  const problems = [
    { path: 'reference_models[1].provider', reason: 'is not there' },
    { path: '', reason: 'cannot be read' },
  ]
  expect(problemsAt(problems, 'reference_models.1')).toEqual(['is not there'])
  expect(otherProblems(problems)).toEqual([{ path: '', reason: 'cannot be read' }])
})

it('can be saved once it has a name, and a provider and model in every place', () => {
  for (const { name, preset } of presetsReply().presets) expect(isWhole(draftOf(name, preset))).toBe(true)
  const slot = { provider: 'claude', model: 'opus', effort: '', enabled: true }
  const draft = { ...emptyDraft('claude'), name: 'mine', references: [slot], aggregator: slot }
  expect(isWhole(draft)).toBe(true)
  expect(isWhole({ ...draft, name: ' ' })).toBe(false)
  expect(isWhole({ ...draft, references: [slot, { ...slot, model: '' }] })).toBe(false)
  expect(isWhole(emptyDraft('claude'))).toBe(false)
})
