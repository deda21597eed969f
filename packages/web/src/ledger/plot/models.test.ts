import { expect, it } from 'vitest'
import { buildSeries, shortModel } from './models.ts'

const names = { rest: 'other', unknown: 'unknown model' }
const sum = (model: string | null, cost_micro_usd: number) => ({ model, cost_micro_usd })
const shown = (sums: readonly ReturnType<typeof sum>[]) =>
  buildSeries(sums, names).series.map(({ name }) => name)

it('shortens model names by the vendor and the date', () => {
  expect(['claude-opus-4-8-20260801', 'openai/gpt-5', 'qwen3:8b', 'claude-'].map(shortModel)).toEqual([
    ...['opus-4-8', 'gpt-5', 'qwen3:8b', 'claude-'],
  ])
})

it('groups models by family and gives every other model its own series', () => {
  const sums = [
    sum('gpt-5', 9),
    sum('claude-haiku-4', 1),
    sum('claude-opus-4-8', 2),
    sum('claude-opus-4-1', 2),
    sum(null, 1),
    sum('–', 1),
  ]
  expect(shown(sums)).toEqual(['opus', 'haiku', 'gpt-5', 'unknown model'])
})

it('sums the costs of a model before it ranks the models', () => {
  const once = ['b', 'c', 'd', 'e'].map((model) => sum(model, 5))
  expect(shown([...once, sum('a', 3), sum('a', 4)])).toEqual(['a', 'b', 'c', 'other'])
})

it('combines the cheapest of hundreds of models', () => {
  const many = Array.from({ length: 300 }, (_, n) => sum(`model-${n}`, 1_000 - n))
  const { series, keyOf } = buildSeries(many, names)
  expect(series.map(({ name }) => name)).toEqual(['model-0', 'model-1', 'model-2', 'other'])
  expect(new Set(series.map(({ pattern }) => pattern)).size).toBe(4)
  expect(keyOf('model-1')).toBe(series[1]?.key)
  expect(keyOf('model-200')).toBe(series[3]?.key)
})

it('shows a remainder of one model under its own name', () => {
  const four = ['a', 'b', 'c', 'd'].map((model, i) => sum(model, 9 - i))
  expect(shown(four)).toEqual(['a', 'b', 'c', 'd'])
})
