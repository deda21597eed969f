import { Button } from '../design/button.tsx'
import type { IconName } from '../design/icon.tsx'
import { Progress } from '../design/progress.tsx'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import type { Work } from './work.ts'

/** The button of long work; while it runs, how far it is and how to stop it. */
export function WorkButton<T>({
  work,
  start,
  running,
  icon,
}: {
  readonly work: Work<T>
  readonly start: string
  readonly running: string
  readonly icon?: IconName
}) {
  const state = useStore(work.state)
  if (state.phase !== 'running' || !state.slow)
    return (
      <Button
        {...(icon ? { icon } : {})}
        disabled={state.phase === 'running'}
        onClick={() => void work.start()}
      >
        {start}
      </Button>
    )
  return (
    <>
      <div className="w-40">
        <div className="flex justify-between gap-2 pb-1 text-11 text-text-3">
          <span>{running}</span>
          <span>{state.total > 0 && words.settings.storage.progress(state.done, state.total)}</span>
        </div>
        <Progress label={running} done={state.done} total={state.total} />
      </div>
      <Button kind="quiet" onClick={work.stop}>
        {words.actions.stop}
      </Button>
    </>
  )
}
