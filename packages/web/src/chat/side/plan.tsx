import type { TaskGraph } from '@panoptes/schema'
import { classes } from '../../design/class.ts'
import { Glyph, type GlyphName } from '../../design/glyph.tsx'
import { Progress } from '../../design/progress.tsx'
import * as f from '../../format.ts'
import { oneLine, seen } from '../../sessions/plain.ts'
import { words } from '../../words.ts'
import type { RunView } from '../state/run-view.ts'
import { type PlanStep, planView } from './plan-view.ts'
import { Section } from './section.tsx'

const w = words.chat.side

const GLYPHS: Readonly<Record<PlanStep['state'], GlyphName>> = {
  open: 'unknown',
  started: 'working',
  running: 'working',
  waiting: 'waiting',
  completed: 'done',
  skipped: 'unknown',
  failed: 'failed',
}

/** The steps of a question, how far they are, and why they are done in this order. */
export function Plan({ plan, run }: { readonly plan: TaskGraph | null; readonly run: RunView | null }) {
  if (plan === null || plan.nodes.length === 0)
    return (
      <Section title={w.plan}>
        <p className="text-11 text-text-3">{w.planNone}</p>
      </Section>
    )
  if (plan.nodes.length === 1)
    return (
      <Section title={w.plan}>
        <p className="text-11 text-text-3">{w.planOne}</p>
      </Section>
    )
  const { steps, done, isTold } = planView(plan, run)
  return (
    <Section title={w.plan} end={isTold ? w.planOf(done, steps.length) : w.planSteps(steps.length)}>
      {isTold && (
        <div className="pt-1.5 pb-1">
          <Progress label={w.plan} done={done} total={steps.length} />
        </div>
      )}
      <ol>
        {steps.map(({ id, label, state, elapsedMs }) => (
          <li key={id} className="flex min-h-7 items-start gap-2 py-1 text-12">
            <span className="flex h-4.5 items-center">
              <Glyph name={GLYPHS[state]} size={14} />
            </span>
            <span
              className={classes(
                'line-clamp-2 min-w-0 flex-1 wrap-anywhere',
                state === 'open' && isTold && 'text-text-3',
              )}
              title={seen(label)}
            >
              {oneLine(label, 160)}
            </span>
            <span className={isTold ? 'sr-only' : 'hidden'}>{w.planStates[state]}</span>
            {elapsedMs !== null && <span className="text-11 text-text-3">{f.duration(elapsedMs)}</span>}
          </li>
        ))}
      </ol>
      <p className="pt-1 text-11 text-text-3">
        {plan.decision === 'parallel' ? w.parallel : w.sequential} {plan.reasons.map(seen).join(' ')}
        {!isTold && run !== null && run.end === null && ` ${w.planAdvice}`}
      </p>
    </Section>
  )
}
