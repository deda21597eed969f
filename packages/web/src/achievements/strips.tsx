import type { AchievementsReply, ScanMeta } from '@panoptes/schema'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { Progress } from '../design/progress.tsx'
import { Strip } from '../design/strip.tsx'
import { seen } from '../sessions/plain.ts'
import { saidBy } from '../sessions/strips.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { words } from '../words.ts'
import { faultOf, isUnreachable } from './fault.ts'

const w = words.achievements

/** How far a first scan is, what went wrong, and how old what is shown is then. */
export function AchievementStrips(props: {
  readonly reply: AchievementsReply | undefined
  readonly failure: Error | null
  readonly now: number
  readonly onRetry: () => Promise<unknown>
}) {
  const { reply, failure } = props
  const meta = reply?.scan_meta
  const progress = meta?.status?.progress
  const refused = failure && refusalOf(failure)
  const fault = faultOf(reply, refused, props.now)
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

/** Why nothing could be counted says itself what to do; what the server adds is for programs that ask. */
function refusalOf(failure: Error) {
  const isAway = isUnreachable(failure)
  return { said: isAway ? saidBy(failure) : seen(failure.message), isUnreachable: isAway }
}

/** The button, or how far the try is that somebody asked for. */
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
  // What is begun by itself while the fault is shown takes the button from nobody's hand before it has come somewhere.
  const { done, total } = status?.progress ?? { done: 0, total: 0 }
  const runs = asks || (status?.state === 'running' && (tried || total > 0))
  if (!runs) return <Button onClick={() => void retry()}>{words.actions.tryAgain}</Button>
  // Before anything is counted the card under it says how far it is.
  if (total === 0 || mode === 'pending') return <span className="text-text-2">{w.again}</span>
  const said = w.reading(Math.min(done, total), total)
  return (
    <div className="flex items-center gap-2 text-text-2">
      {said}
      <div className="w-20">
        <Progress label={said} done={done} total={total} />
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
              <code className="text-11">{seen(place)}</code>: {seen(reason)}
            </li>
          ))}
        </ul>
      )}
    </Strip>
  )
}
