import type { AchievementsReply } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { Button, buttonClass } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Progress } from '../design/progress.tsx'
import { words } from '../words.ts'

const w = words.achievements.empty

/** Shown before anything was counted: the progress of the scan, or the button that starts it. */
export function NothingCounted(props: {
  readonly reply: AchievementsReply
  readonly failed: boolean
  /** Missing if the person may not start a scan. */
  readonly onRead: (() => void) | undefined
}) {
  const { scan_meta: meta, view } = props.reply
  const runs = meta.status?.state === 'running' && !props.failed
  const looked = meta.mode !== 'pending' && !runs
  return (
    <Empty title={w.title} eye>
      <p className="text-text-2">{w.body}</p>
      {looked && <p className="text-text-2">{view === 'hermes' ? w.noneHermes : w.none}</p>}
      {runs ? (
        <Reading progress={meta.status?.progress ?? null} />
      ) : (
        <div className="flex flex-wrap gap-2 pt-1">
          {props.onRead && (
            <Button kind="main" onClick={props.onRead}>
              {w.action}
            </Button>
          )}
          <Link to="/settings" hash="sources" className={buttonClass('plain')}>
            {w.sources}
          </Link>
        </div>
      )}
    </Empty>
  )
}

function Reading({
  progress,
}: {
  readonly progress: { readonly done: number; readonly total: number } | null
}) {
  const { done, total } = progress ?? { done: 0, total: 0 }
  const message =
    total > 0 ? words.achievements.reading(Math.min(done, total), total) : words.achievements.looking
  return (
    <div role="status" className="flex flex-col gap-2 text-12 text-text-2">
      {message}
      <Progress label={message} done={done} total={total} />
    </div>
  )
}
