import type { ProgressStatus, TaskGraph } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { classes } from '../../design/class-names.ts'
import { Glyph, type GlyphName } from '../../design/glyph.tsx'
import { Progress } from '../../design/progress.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { isOver, type RunNode, type RunView } from '../state/run-view.ts'
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

/** The steps of a plan, their progress, and the reason for their order. */
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
  const { steps, done, isTold: hasProgress } = planView(plan, run)
  return (
    <Section
      title={w.plan}
      end={hasProgress ? w.planProgress(done, steps.length) : w.planSteps(steps.length)}
    >
      {hasProgress && (
        <div className="pt-1.5 pb-1">
          <Progress label={w.plan} done={done} total={steps.length} />
        </div>
      )}
      <ol>
        {steps.map(({ id, label, state, elapsedMs }, at) => (
          <li key={id} className="flex min-h-7 items-start gap-2 py-1 text-12">
            <span className="flex h-4.5 items-center">
              {hasProgress ? (
                <Glyph name={GLYPHS[state]} size={14} />
              ) : (
                <span aria-hidden="true" className="w-3.5 text-center text-11 text-text-3">
                  {at + 1}
                </span>
              )}
            </span>
            <span
              className={classes(
                'line-clamp-2 min-w-0 flex-1 wrap-anywhere',
                state === 'open' && hasProgress && 'text-text-3',
              )}
              title={toVisible(label)}
            >
              {toVisibleLine(label, 160)}
            </span>
            <span className={hasProgress ? 'sr-only' : 'hidden'}>{w.planStates[state]}</span>
            {elapsedMs !== null && <span className="text-11 text-text-3">{f.duration(elapsedMs)}</span>}
          </li>
        ))}
      </ol>
      <p className="pt-1 text-11 text-text-3">
        {plan.decision === 'parallel' ? w.parallel : w.sequential} {plan.reasons.map(toVisible).join(' ')}
        {!hasProgress && run !== null && ` ${run.end === null ? w.planOutline : w.planUnshown}`}
      </p>
    </Section>
  )
}

interface PlanStep {
  readonly id: string
  readonly label: string
  readonly state: ProgressStatus | 'open' | 'waiting'
  readonly elapsedMs: number | null
}

interface PlanView {
  readonly steps: readonly PlanStep[]
  readonly done: number
  /** Whether anything shows progress. If not, the plan is an outline. */
  readonly isTold: boolean
}

/** Combines a plan with what the run reports about each step. */
export function planView(plan: TaskGraph, run: RunView | null): PlanView {
  const asks = run?.asks.some(({ state }) => state === 'open') ?? false
  const steps = plan.nodes.map(({ id, label }): PlanStep => {
    const node = run?.nodes.get(id)
    if (node === undefined || !isShown(plan, node)) return { id, label, state: 'open', elapsedMs: null }
    const isLeft = run !== null && run.end !== null && !isOver(node.status)
    const waits = asks && !isOver(node.status)
    const state = isLeft ? 'skipped' : waits ? 'waiting' : node.status
    return { id, label, state, elapsedMs: node.elapsedMs }
  })
  return {
    steps,
    done: steps.filter(({ state }) => state === 'completed').length,
    isTold: steps.some(({ state }) => state !== 'open'),
  }
}

/** Earlier versions reported steps one after another without any evidence of progress. */
const isShown = ({ decision }: TaskGraph, { parent, detail }: RunNode): boolean =>
  decision === 'parallel' || parent === 'own-plan' || (isPlainObject(detail) && 'evidence' in detail)
