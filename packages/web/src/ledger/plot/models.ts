import { type Family, modelFamily } from '../../live/model/names.ts'

/** Shortens a model name by what its maker's models share: opus-4-8 for claude-opus-4-8-20260801. */
export function shortModel(model: string): string {
  const short = model
    .replace(/^.*\//, '')
    .replace(/^claude-/, '')
    .replace(/-\d{8}$/, '')
  return short === '' ? model : short
}

/** A part of each bar: a model family, one other model, or the rest. */
export interface Series {
  readonly key: string
  readonly name: string
  readonly family: Family
  /** The index of its pattern among other models; the last pattern is for the rest. */
  readonly pattern: number
}

/** How many models outside the known families get their own pattern. */
const OWN = 3
const REST = 'rest'

/** The server writes a dash for a missing name. */
const hasName = (model: string | null): model is string => model !== null && model !== '–'

/** The series key of a row, before small series are combined. */
const modelKey = (model: string | null): string => {
  const family = modelFamily(model)
  return family === 'other' ? `model ${hasName(model) ? model : ''}` : family
}

/** The series from the bottom up, and the series of each model. */
export function buildSeries(
  sums: readonly { readonly model: string | null; readonly cost_micro_usd: number }[],
  names: { readonly rest: string; readonly unknown: string },
): { readonly series: readonly Series[]; readonly keyOf: (model: string | null) => string } {
  const totals = new Map<string, { model: string | null; sum: number }>()
  for (const { model, cost_micro_usd } of sums) {
    const key = modelKey(model)
    const before = totals.get(key)
    totals.set(key, { model, sum: (before?.sum ?? 0) + cost_micro_usd })
  }
  const families = (['opus', 'sonnet', 'haiku'] as const)
    .filter((family) => totals.has(family))
    .map((family): Series => ({ key: family, name: family, family, pattern: 0 }))
  const others = [...totals]
    .filter(([key]) => key.startsWith('model '))
    .sort(([a, first], [b, second]) => second.sum - first.sum || a.localeCompare(b))
  // A remainder of one series shows that series.
  const own = others.length <= OWN + 1 ? others : others.slice(0, OWN)
  const named = own.map(
    ([key, { model }], i): Series => ({
      key,
      name: hasName(model) ? shortModel(model) : names.unknown,
      family: 'other',
      pattern: i,
    }),
  )
  const rest: readonly Series[] =
    own.length < others.length ? [{ key: REST, name: names.rest, family: 'other', pattern: OWN }] : []
  const keys = new Set([...families, ...named].map(({ key }) => key))
  return {
    series: [...families, ...named, ...rest],
    keyOf: (model) => {
      const key = modelKey(model)
      return keys.has(key) ? key : REST
    },
  }
}
