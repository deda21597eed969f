import type { AchievementsReply } from '@panoptes/schema'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { Progress } from '../design/progress.tsx'
import { Strip } from '../design/strip.tsx'
import { seen } from '../sessions/plain.ts'
import { saidBy } from '../sessions/strips.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { words } from '../words.ts'

const w = words.achievements

/** How far a first scan is, what went wrong, and how old what is shown is then. */
export function AchievementStrips(props: {
  readonly reply: AchievementsReply | undefined
  readonly failure: Error | null
  readonly now: number
  readonly onRetry: () => void
}) {
  const { reply, failure } = props
  const meta = reply?.scan_meta
  const progress = meta?.status?.progress
  const problem = reply?.error ?? null
  const partly = problem === null ? (meta?.error ?? null) : null
  const old =
    reply && reply.generated_at > 0 ? w.failedOld(words.ago(reply.generated_at * 1_000, props.now)) : ''
  const again = <Button onClick={props.onRetry}>{words.actions.tryAgain}</Button>
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
      {failure !== null && (
        <Strip alert glyph="failed" end={again}>
          {w.loadFailed} {saidBy(failure)} {old}
        </Strip>
      )}
      {failure === null && problem !== null && (
        <Strip alert glyph="failed" end={again}>
          {w.failed(seen(problem))} {old}
        </Strip>
      )}
      {failure === null && partly !== null && (
        <Strip alert glyph="failed" end={again}>
          {w.failedPartly(seen(partly))}
        </Strip>
      )}
      {meta && meta.skipped.length > 0 && <Skipped skipped={meta.skipped} />}
    </Strips>
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
