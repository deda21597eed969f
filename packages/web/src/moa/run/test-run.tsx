import type { MoaTurn } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button, buttonClass } from '../../design/button.tsx'
import { words } from '../../words.ts'
import { buildRows } from '../bars/bars.ts'
import { TimeBars } from '../bars/time-bars.tsx'
import { TurnCard } from '../turn/card.tsx'
import { LongText } from '../turn/marked-text.tsx'
import { buildRunRows, type RunState } from './run-state.ts'
import { useAnimationTime } from './use-animation-time.ts'
import { useRun } from './use-run.ts'

const w = words.moa.run
const LONGEST = 20_000
/** The initial length of the scale. */
const LEAST_MS = 2_000

/** Runs a preset with a question and shows bars while it answers. */
export function TestRun(props: {
  readonly preset: string
  /** Whether the shown preset is saved unchanged. */
  readonly isSaved: boolean
  /** Whether the draft is complete enough to run. */
  readonly isReady: boolean
  readonly onSave?: () => Promise<boolean>
  readonly onDone?: (turn: MoaTurn) => void
  /** Called when a run becomes visible or disappears. */
  readonly onRun?: (hasRun: boolean) => void
}) {
  const { preset, isSaved, isReady, onSave, onRun } = props
  const [prompt, setPrompt] = useState<string>(w.sample)
  const { state, start, stop } = useRun(props.onDone)
  const runs = state?.phase === 'running'
  const hasRun = state !== null
  useEffect(() => onRun?.(hasRun), [onRun, hasRun])
  const begin = async () => {
    if (!isSaved && !((await onSave?.()) ?? false)) return
    start('/api/moa/run', { preset, prompt })
  }
  return (
    <TurnCard
      title={w.title}
      end={
        state?.turn && (
          <Link to="/moa" search={{ turn: state.turn.id }} className={buttonClass()}>
            {w.open}
          </Link>
        )
      }
    >
      <form
        className="flex flex-col gap-2.5 p-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (!runs) void begin()
        }}
      >
        <label className="flex flex-col gap-1 text-11 text-text-3">
          {w.prompt}
          <textarea
            value={prompt}
            rows={2}
            maxLength={LONGEST}
            placeholder={w.promptHint}
            className="min-h-14 w-full resize-y rounded-control border border-line-strong bg-surface px-2.5 py-1.5 text-13 text-text placeholder:text-text-3"
            onChange={(event) => setPrompt(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || runs) return
              event.preventDefault()
              void begin()
            }}
          />
        </label>
        <div className="flex flex-wrap items-center gap-2">
          {runs ? (
            // Stop is a separate button: if the same button changed, a click to stop could submit the form.
            <Button key="stop" onClick={stop}>
              {w.stop}
            </Button>
          ) : (
            <Button key="try" kind="main" type="submit" disabled={!isReady || prompt.trim() === ''}>
              {isSaved ? w.try : w.saveAndTry}
            </Button>
          )}
          <span className="min-w-0 flex-1 text-11 text-text-3">{w.costs}</span>
        </div>
      </form>
      {state !== null && (
        <div className="flex flex-col gap-2 border-t border-line p-3">
          <RunBars state={state} />
          {state.text !== '' && (
            <section aria-label={w.answer}>
              <h3 className="pb-1 text-11 font-semibold text-text-3">{w.answer}</h3>
              <LongText text={state.text} />
            </section>
          )}
        </div>
      )}
    </TurnCard>
  )
}

/** The growing bars of a running turn. */
export function RunBars({ state }: { readonly state: RunState }) {
  const now = useAnimationTime(state.phase === 'running')
  // The stored turn has first tokens and costs that the stream does not report, so it replaces the live bars.
  const turn = state.phase === 'done' ? state.turn : null
  const rows = turn ? buildRows(turn, now) : buildRunRows(state, Math.max(now, state.startedAt))
  return (
    <>
      <p role="status" className="pb-1 text-12 text-text-2">
        {runText(state)}
      </p>
      {rows.length > 0 && <TimeBars rows={rows} {...(turn ? {} : { least: LEAST_MS, money: false })} />}
    </>
  )
}

function runText({ phase, references, actsAt, problem }: RunState): string {
  if (phase === 'failed') return w.failed(problem ?? words.errors.brokeOff)
  if (phase === 'stopped') return w.stopped
  if (phase === 'done') return words.moa.statuses.done
  if (actsAt !== null) return w.acts
  const done = references.filter(({ endedAt }) => endedAt !== null).length
  return references.length === 0 ? w.waits : w.wait(done, references.length)
}
