import { type Family, familyOf } from '../../live/model/names.ts'

/** The name of a model without what all of its maker's have in it: opus-4-8 of claude-opus-4-8-20260801. */
export function shortModel(model: string): string {
  const short = model
    .replace(/^.*\//, '')
    .replace(/^claude-/, '')
    .replace(/-\d{8}$/, '')
  return short === '' ? model : short
}

/** A part of each bar: a family of models, one other model, or all the rest. */
export interface Series {
  readonly key: string
  readonly name: string
  readonly family: Family
  /** Which of the patterns that other models have; the last is for the rest. */
  readonly pattern: number
}

/** How many models of no known family get a pattern of their own. */
const OWN = 3
const REST = 'rest'

/** The server writes a dash for what has no name. */
const isKnown = (model: string | null): model is string => model !== null && model !== '–'

/** The key of what a row counts for, before small ones are put together. */
const keyOf = (model: string | null): string => {
  const family = familyOf(model)
  return family === 'other' ? `model ${isKnown(model) ? model : ''}` : family
}

/** The parts of the bars, from the bottom up, and which of them a model counts for. */
export function seriesOf(
  sums: readonly { readonly model: string | null; readonly cost_micro_usd: number }[],
  names: { readonly rest: string; readonly unknown: string },
): { readonly series: readonly Series[]; readonly keyOf: (model: string | null) => string } {
  const totals = new Map<string, { model: string | null; sum: number }>()
  for (const { model, cost_micro_usd } of sums) {
    const key = keyOf(model)
    const before = totals.get(key)
    totals.set(key, { model, sum: (before?.sum ?? 0) + cost_micro_usd })
  }
  const families = (['opus', 'sonnet', 'haiku'] as const)
    .filter((family) => totals.has(family))
    .map((family): Series => ({ key: family, name: family, family, pattern: 0 }))
  const others = [...totals]
    .filter(([key]) => key.startsWith('model '))
    .sort(([a, first], [b, second]) => second.sum - first.sum || a.localeCompare(b))
  // A rest of one is that one.
  const own = others.length <= OWN + 1 ? others : others.slice(0, OWN)
  const named = own.map(
    ([key, { model }], i): Series => ({
      key,
      name: isKnown(model) ? shortModel(model) : names.unknown,
      family: 'other',
      pattern: i,
    }),
  )
  const rest: readonly Series[] =
    own.length < others.length ? [{ key: REST, name: names.rest, family: 'other', pattern: OWN }] : []
  const known = new Set([...families, ...named].map(({ key }) => key))
  return {
    series: [...families, ...named, ...rest],
    keyOf: (model) => {
      const key = keyOf(model)
      return known.has(key) ? key : REST
    },
  }
}
