import type { MoaTurn } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button, buttonClass } from '../../design/button.tsx'
import { words } from '../../words.ts'
import { TurnCard } from '../turn/card.tsx'
import { LongText } from '../turn/long-text.tsx'
import { RunBars } from './run-bars.tsx'
import { useRun } from './use-run.ts'

const w = words.moa.run
const LONGEST = 20_000

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
