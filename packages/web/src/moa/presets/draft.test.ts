import { check, moaPresetInput } from '@panoptes/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { presetsReply } from '../moa.test-kit.ts'
import { emptyDraft, isWhole, listFormProblems, problemsAt, toDraft, toPreset } from './draft.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown

it('converts a preset to a draft and back unchanged', () => {
  for (const { name, preset } of presetsReply().presets) {
    const checked = check(moaPresetInput, plain(toPreset(toDraft(name, preset))))
    expect(checked.ok && checked.value).toEqual(preset)
  }
})

it('keeps any numbers of a preset', () => {
  const figure = fc.option(fc.integer({ min: 1, max: 1_000 }))
  const [one] = presetsReply().presets
  if (!one) throw new Error('there is no preset')
  fc.assert(
    fc.property(figure, figure, fc.integer({ min: 2, max: 99 }), (deadline, quorum, n) => {
      const preset = { ...one.preset, deadline, quorum, fanout: `every_n:${n}` }
      expect(plain(toPreset(toDraft('x', preset)))).toMatchObject({
        deadline,
        quorum,
        fanout: `every_n:${n}`,
      })
    }),
  )
})

it('keeps every field of a preset', () => {
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
  expect(plain(toPreset(toDraft('x', preset)))).toEqual(plain(preset))
})

it('sends invalid numbers as text so that the server reports them', () => {
  const draft = { ...emptyDraft('claude'), quorum: 'most', maxCost: ' 0.5 ', deadline: '' }
  expect(toPreset(draft)).toMatchObject({ quorum: 'most', max_cost_usd: 0.5, deadline: null })
  const checked = check(moaPresetInput, plain(toPreset(draft)))
  if (checked.ok) throw new Error('it should be wrong')
  expect(problemsAt(checked.problems, 'quorum')).toEqual(['must be a whole number'])
  expect(problemsAt(checked.problems, 'reference_models.1.model')).toEqual(['must not be empty'])
  expect(problemsAt(checked.problems, 'deadline')).toEqual([])
})

it('separates problems of a field from problems without a field', () => {
  const problems = [
    { path: 'reference_models[1].provider', reason: 'is not there' },
    { path: '', reason: 'cannot be read' },
  ]
  expect(problemsAt(problems, 'reference_models.1')).toEqual(['is not there'])
  expect(listFormProblems(problems)).toEqual([{ path: '', reason: 'cannot be read' }])
})

it('is complete with a name and with a provider and model in every place', () => {
  for (const { name, preset } of presetsReply().presets) expect(isWhole(toDraft(name, preset))).toBe(true)
  const slot = { provider: 'claude', model: 'opus', effort: '', enabled: true }
  const draft = { ...emptyDraft('claude'), name: 'mine', references: [slot], aggregator: slot }
  expect(isWhole(draft)).toBe(true)
  expect(isWhole({ ...draft, name: ' ' })).toBe(false)
  expect(isWhole({ ...draft, references: [slot, { ...slot, model: '' }] })).toBe(false)
  expect(isWhole(emptyDraft('claude'))).toBe(false)
})
