import type { OutlineReply, PastSession, SessionStep, Spent } from '@panoptes/schema'
import { classes } from '../../design/class-names.ts'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { costNote, costText, tokenText } from '../cost.ts'

const w = words.transcript.steps
const FIT = 24
/** Every third bar gets a number. */
const NUMBERED = 3

/** The cost of each step as a bar that links to its message. */
export function CostSteps(props: {
  readonly outline: OutlineReply | undefined
  readonly session: PastSession
  readonly current: number | null
  readonly onGo: (n: number) => void
}) {
  const { outline, session, current } = props
  if (!outline) return <p className="text-11 text-text-3">{w.reading}</p>
  const { by, bars, most } = buildBars(outline.steps, FIT)
  if (by === null) return <p className="text-11 text-text-3">{bars.length === 0 ? w.none : w.notReported}</p>
  const at = current === null ? null : bars.findLast((bar) => bar.n <= current)
  return (
    <>
      <ol aria-label={by === 'money' ? w.title : w.byTokens}>
        {bars.map((bar, i) => (
          <li key={bar.n}>
            <button
              type="button"
              aria-label={describeBar(bar)}
              title={describeBar(bar)}
              aria-current={bar === at ? 'step' : undefined}
              className={classes(
                'group flex h-3 w-full items-center gap-1.5 touch:h-6',
                bar === at && 'bg-high',
              )}
              onClick={() => props.onGo(bar.n)}
            >
              <span className="w-7 shrink-0 text-right text-[10px] leading-3 text-text-3">
                {i % NUMBERED === 0 ? f.shortCount(bar.from) : ''}
              </span>
              <span className="min-w-0 flex-1">
                <span
                  className={classes(
                    'block h-2 rounded-[2px]',
                    bar.share === null
                      ? 'w-1.5 border border-line-strong'
                      : bar === most
                        ? 'bg-gold'
                        : 'bg-bar group-hover:bg-text-3',
                  )}
                  style={bar.share === null ? {} : { width: `max(2px, ${bar.share * 100}%)` }}
                />
              </span>
              {bar.errors > 0 && <span className="text-[10px] leading-3 text-failed">✕</span>}
            </button>
          </li>
        ))}
      </ol>
      {most !== null && <p className="pt-2 text-11 text-text-3">{describeMainCost(most)}</p>}
      <p className="pt-1 text-11 text-text-3" title={costNote(session.spent)}>
        {w.sum(costText(session.spent))}
      </p>
      {tokensIn(outline.loose) > 0 && (
        <p className="pt-1 text-11 text-text-3">{w.loose(costText(outline.loose))}</p>
      )}
    </>
  )
}

const describeBar = (bar: Bar): string =>
  w.bar(
    w.step(bar.from, bar.to),
    costText(bar.spent),
    tokenText(bar.spent, tokensIn(bar.spent)),
    words.sessions.toolCalls(bar.tool_calls),
    bar.errors,
  )

function describeMainCost(bar: Bar): string {
  const kind = mainTokenKind(bar.spent)
  return w.most(w.step(bar.from, bar.to), costText(bar.spent), w.kinds[kind](f.shortCount(bar.spent[kind])))
}

/** Consecutive steps drawn as one bar. */
interface Bar {
  /** The first and the last of its steps, counted from 1. */
  readonly from: number
  readonly to: number
  /** The number of its first message. */
  readonly n: number
  readonly spent: Spent
  readonly tool_calls: number
  readonly errors: number
  /** Its length relative to the longest bar; null if its cost is unknown. */
  readonly share: number | null
}

interface Bars {
  /** What the bars show; null if no step reports its usage. */
  readonly by: 'money' | 'tokens' | null
  readonly bars: readonly Bar[]
  /** The longest bar, if it stands out. */
  readonly most: Bar | null
}

/** The longest bar is named if it is this many times the mean. */
const STANDS_OUT = 1.5

/** Combines the steps into at most as many bars as fit. */
export function buildBars(steps: readonly SessionStep[], fit: number): Bars {
  const by = steps.some((step) => step.spent.cost_micro_usd > 0)
    ? 'money'
    : steps.some((step) => tokensIn(step.spent) > 0)
      ? 'tokens'
      : null
  const size = Math.max(1, Math.ceil(steps.length / fit))
  const groups = Array.from({ length: Math.ceil(steps.length / size) }, (_, i) =>
    steps.slice(i * size, (i + 1) * size),
  )
  const sums = groups.map((group) => sumSpent(group.map((step) => step.spent)))
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
    const amount = measure(spent)
    return [
      {
        from,
        to: before,
        n: first.n,
        spent,
        tool_calls: group.reduce((all, step) => all + step.tool_calls, 0),
        errors: group.reduce((all, step) => all + step.errors, 0),
        share: amount === 0 && spent.usage_unknown + spent.cost_unknown > 0 ? null : amount / longest,
      },
    ]
  })
  const most = bars.find((bar) => bar.share === 1) ?? null
  const mean = bars.reduce((all, bar) => all + (bar.share ?? 0), 0) / Math.max(1, bars.length)
  return { by, bars, most: mean * STANDS_OUT <= 1 ? most : null }
}

const tokensIn = ({ input, output, cache_read, cache_write }: Spent): number =>
  input + output + cache_read + cache_write

function sumSpent(all: readonly Spent[]): Spent {
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

/**
 * The approximate price of each kind of token relative to input; this is enough to find the dominant kind of
 * a step.
 */
const WEIGHTS = { input: 1, cache_write: 1.25, cache_read: 0.1, output: 5 } as const
type Kind = keyof typeof WEIGHTS

/** Returns the kind of token that most of a step's cost went into. */
export function mainTokenKind(spent: Spent): Kind {
  const kinds = Object.keys(WEIGHTS) as Kind[]
  return kinds.reduce((best, kind) =>
    spent[kind] * WEIGHTS[kind] > spent[best] * WEIGHTS[best] ? kind : best,
  )
}
