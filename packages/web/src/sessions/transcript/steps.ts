import type { SessionStep, Spent } from '@panoptes/schema'

/** Steps next to each other, drawn as one bar. */
export interface Bar {
  /** The first and the last of its steps, counted from 1. */
  readonly from: number
  readonly to: number
  /** The message it begins with. */
  readonly n: number
  readonly spent: Spent
  readonly tool_calls: number
  readonly errors: number
  /** How long it is, of the longest; null where nothing is known of it. */
  readonly share: number | null
}

export interface Bars {
  /** What the bars show; null where no step says what it took. */
  readonly by: 'money' | 'tokens' | null
  readonly bars: readonly Bar[]
  /** The longest, where it stands out among the others. */
  readonly most: Bar | null
}

/** So many times the mean is worth a word. */
const STANDS_OUT = 1.5

/** What each step took, in so few bars that they fit. */
export function barsOf(steps: readonly SessionStep[], fit: number): Bars {
  const by = steps.some((step) => step.spent.cost_micro_usd > 0)
    ? 'money'
    : steps.some((step) => tokensIn(step.spent) > 0)
      ? 'tokens'
      : null
  const size = Math.max(1, Math.ceil(steps.length / fit))
  const groups = Array.from({ length: Math.ceil(steps.length / size) }, (_, i) =>
    steps.slice(i * size, (i + 1) * size),
  )
  const sums = groups.map((group) => sumOf(group.map((step) => step.spent)))
  const measure = (spent: Spent): number => (by === 'money' ? spent.cost_micro_usd : tokensIn(spent))
  const longest = Math.max(1, ...sums.map(measure))
  const counts = steps.map((step) => step.replies)
  let before = 0
  const bars = groups.flatMap((group, i): readonly Bar[] => {
    const spent = sums[i]
    const [first] = group
    if (!first || !spent) return []
    const from = before + 1
    before += counts.slice(i * size, (i + 1) * size).reduce((all, count) => all + count, 0)
    const known = measure(spent)
    return [
      {
        from,
        to: before,
        n: first.n,
        spent,
        tool_calls: group.reduce((all, step) => all + step.tool_calls, 0),
        errors: group.reduce((all, step) => all + step.errors, 0),
        share: known === 0 && spent.usage_unknown + spent.cost_unknown > 0 ? null : known / longest,
      },
    ]
  })
  const most = bars.find((bar) => bar.share === 1) ?? null
  const mean = bars.reduce((all, bar) => all + (bar.share ?? 0), 0) / Math.max(1, bars.length)
  return { by, bars, most: mean * STANDS_OUT <= 1 ? most : null }
}

export const tokensIn = ({ input, output, cache_read, cache_write }: Spent): number =>
  input + output + cache_read + cache_write

function sumOf(all: readonly Spent[]): Spent {
  const sum = (name: keyof Spent) => all.reduce((before, spent) => before + spent[name], 0)
  return {
    input: sum('input'),
    output: sum('output'),
    cache_read: sum('cache_read'),
    cache_write: sum('cache_write'),
    reasoning: sum('reasoning'),
    cost_micro_usd: sum('cost_micro_usd'),
    usage_unknown: sum('usage_unknown'),
    cost_unknown: sum('cost_unknown'),
  }
}

/** About what each kind of token costs, next to one of input: enough to say which of them a step is made of. */
const WEIGHTS = { input: 1, cache_write: 1.25, cache_read: 0.1, output: 5 } as const
export type Kind = keyof typeof WEIGHTS

/** The kind of token that most of a step's money went into. */
export function mostlyOf(spent: Spent): Kind {
  const kinds = Object.keys(WEIGHTS) as Kind[]
  return kinds.reduce((best, kind) =>
    spent[kind] * WEIGHTS[kind] > spent[best] * WEIGHTS[best] ? kind : best,
  )
}
