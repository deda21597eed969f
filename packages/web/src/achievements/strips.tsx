import type { AchievementsReply, ScanMeta } from '@panoptes/schema'
import { toVisible } from '@panoptes/schema/shown'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { Progress } from '../design/progress.tsx'
import { Strip } from '../design/strip.tsx'
import { errorText } from '../sessions/strips.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { words } from '../words.ts'
import { faultText, isUnreachable } from './error-text.ts'

const w = words.achievements

/** Shows the progress of a first scan, failures, and how old the numbers are. */
export function AchievementStrips(props: {
  readonly reply: AchievementsReply | undefined
  readonly failure: Error | null
  readonly now: number
  readonly onRetry: () => Promise<unknown>
}) {
  const { reply, failure } = props
  const meta = reply?.scan_meta
  const progress = meta?.status?.progress
  const refused = failure && toRefusal(failure)
  const fault = faultText(reply, refused, props.now)
  return (
    <Strips what={w.listWord} reading={false}>
      {meta?.mode === 'in_progress' && progress && (
        <Strip
          end={
            <div className="w-40">
              <Progress label={w.reading(progress.done, progress.total)} {...progress} />
            </div>
          }
        >
          {w.reading(Math.min(progress.done, progress.total), progress.total)}. {w.partial}
        </Strip>
      )}
      {fault !== undefined && (
        <Strip
          alert
          glyph="failed"
          end={<TryAgain meta={failure === null ? meta : undefined} onRetry={props.onRetry} />}
        >
          {fault}
        </Strip>
      )}
      {meta && meta.skipped.length > 0 && <Skipped skipped={meta.skipped} />}
    </Strips>
  )
}

/** A count failure already says what to do; the server's extra advice is for programs. */
function toRefusal(failure: Error) {
  const isAway = isUnreachable(failure)
  return { said: isAway ? errorText(failure) : toVisible(failure.message), isUnreachable: isAway }
}

/** The retry button, or the progress of the retry. */
function TryAgain(props: { readonly meta: ScanMeta | undefined; readonly onRetry: () => Promise<unknown> }) {
  const { status, mode } = props.meta ?? {}
  const [tried, setTried] = useState(false)
  const [asks, setAsks] = useState(false)
  const retry = async () => {
    setTried(true)
    setAsks(true)
    await props.onRetry()
    setAsks(false)
  }
  // An automatic retry does not take the button away before it made progress.
  const { done, total } = status?.progress ?? { done: 0, total: 0 }
  const runs = asks || (status?.state === 'running' && (tried || total > 0))
  if (!runs) return <Button onClick={() => void retry()}>{words.actions.tryAgain}</Button>
  // Before anything is counted, the card below shows the progress.
  if (total === 0 || mode === 'pending') return <span className="text-text-2">{w.again}</span>
  const message = w.reading(Math.min(done, total), total)
  return (
    <div className="flex items-center gap-2 text-text-2">
      {message}
      <div className="w-20">
        <Progress label={message} done={done} total={total} />
      </div>
    </div>
  )
}

function Skipped({ skipped }: { readonly skipped: AchievementsReply['scan_meta']['skipped'] }) {
  const [all, setAll] = useState(false)
  return (
    <Strip
      glyph="partial"
      end={
        <Button aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? w.skippedHide : w.skippedShow}
        </Button>
      }
    >
      {w.skipped(skipped.length)}
      {all && (
        <ul className="max-h-40 overflow-y-auto pt-1">
          {skipped.map(({ place, reason }) => (
            <li key={`${place} ${reason}`} className="[overflow-wrap:anywhere]">
              <code className="text-11">{toVisible(place)}</code>: {toVisible(reason)}
            </li>
          ))}
        </ul>
      )}
    </Strip>
  )
}
