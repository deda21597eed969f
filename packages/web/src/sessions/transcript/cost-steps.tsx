import type { OutlineReply, PastSession } from '@panoptes/schema'
import { classes } from '../../design/class.ts'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { costNote, costText } from '../cost.ts'
import { type Bar, barsOf, mostlyOf, tokensIn } from './steps.ts'

const w = words.transcript.steps
const FIT = 24
/** Every third bar is numbered. */
const NUMBERED = 3

/** What each step of a session took: a bar each, which leads to its message. */
export function CostSteps(props: {
  readonly outline: OutlineReply | undefined
  readonly session: PastSession
  readonly current: number | null
  readonly onGo: (n: number) => void
}) {
  const { outline, session, current } = props
  if (!outline) return <p className="text-11 text-text-3">{w.reading}</p>
  const { by, bars, most } = barsOf(outline.steps, FIT)
  if (by === null) return <p className="text-11 text-text-3">{bars.length === 0 ? w.none : w.notTold}</p>
  const at = current === null ? null : bars.findLast((bar) => bar.n <= current)
  return (
    <>
      <ol aria-label={by === 'money' ? w.title : w.byTokens}>
        {bars.map((bar, i) => (
          <li key={bar.n}>
            <button
              type="button"
              aria-label={sayBar(bar)}
              title={sayBar(bar)}
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
      {most !== null && <p className="pt-2 text-11 text-text-3">{sayMost(most)}</p>}
      <p className="pt-1 text-11 text-text-3" title={costNote(session.spent)}>
        {w.sum(costText(session.spent))}
      </p>
      {tokensIn(outline.loose) > 0 && (
        <p className="pt-1 text-11 text-text-3">{w.loose(costText(outline.loose))}</p>
      )}
    </>
  )
}

const sayBar = (bar: Bar): string =>
  w.bar(
    w.step(bar.from, bar.to),
    costText(bar.spent),
    f.shortCount(tokensIn(bar.spent)),
    words.sessions.toolCalls(bar.tool_calls),
    bar.errors,
  )

function sayMost(bar: Bar): string {
  const kind = mostlyOf(bar.spent)
  return w.most(w.step(bar.from, bar.to), costText(bar.spent), w.kinds[kind](f.shortCount(bar.spent[kind])))
}
