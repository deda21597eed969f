import type { SkillChange } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { Code } from '../design/code.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Strip } from '../design/strip.tsx'
import { Tag } from '../design/tag.tsx'
import { toast } from '../design/toast.tsx'
import { errorText } from '../sessions/strips.tsx'
import { words } from '../words.ts'
import { applyReview, reviewQuery, undoReview } from './queries.ts'
import { reviewResult } from './review-result.ts'

const w = words.ledger.review
const LONGEST = 80

/** Previews the changes of a skill review before they are applied. */
export default function ReviewDialog({ onClose }: { readonly onClose: () => void }) {
  const { data, error, refetch } = useQuery(reviewQuery)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Error | null>(null)
  const [done, setDone] = useState<ReturnType<typeof reviewResult> | null>(null)
  const changes = done?.failed ?? data?.changes.filter(({ action }) => action !== 'none') ?? []
  const left = done ? 0 : (data?.changes.length ?? 0) - changes.length
  const apply = async () => {
    setBusy(true)
    setFailure(null)
    try {
      const came = reviewResult(await applyReview())
      if (came.failed.length > 0) return setDone(came)
      if (came.made > 0) toast({ text: w.applied(came.made), undo: () => void undo() })
      onClose()
    } catch (problem) {
      setFailure(problem instanceof Error ? problem : new Error(String(problem)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog open onClose={onClose} title={w.title} width="max-w-150">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto">
        {(error ?? failure) !== null && (
          <Strip
            alert
            glyph="failed"
            end={
              <Button onClick={() => void (failure ? apply() : refetch())}>{words.actions.tryAgain}</Button>
            }
          >
            {w.failed} {errorText((failure ?? error) as Error)}
          </Strip>
        )}
        {!data && error === null && <Strip>{w.wait}</Strip>}
        {data && (
          <>
            <p className="px-4 pt-3 pb-2 text-12 text-text-2">
              {done ? w.someFailed(done.made, done.failed.length) : changes.length === 0 ? w.none : w.body}
            </p>
            <ul className="divide-y divide-line">
              {changes.map((change) => (
                <Change key={`${change.folder} ${change.skill}`} change={change} />
              ))}
            </ul>
            {left > 0 && <p className="px-4 py-2.5 text-12 text-text-3">{w.leaves(left)}</p>}
          </>
        )}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-4 py-3">
        <Button kind="quiet" onClick={onClose}>
          {changes.length === 0 || done ? words.actions.close : words.actions.cancel}
        </Button>
        {done !== null && done.made > 0 && (
          <Button
            onClick={() => {
              void undo()
              onClose()
            }}
          >
            {words.actions.undo}
          </Button>
        )}
        {changes.length > 0 && done === null && (
          <Button kind="main" disabled={busy} onClick={() => void apply()}>
            {busy ? w.applying : w.apply(changes.length)}
          </Button>
        )}
      </div>
    </Dialog>
  )
}

function Change({ change }: { readonly change: SkillChange }) {
  return (
    <li className="flex flex-col gap-1 px-4 py-2.5 text-12">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-semibold">{toVisibleLine(change.skill, LONGEST)}</span>
        <Tag>{w.actions[change.action]}</Tag>
      </div>
      <p>{toVisible(change.says)}</p>
      <p className="text-text-3">{toVisible(change.reason)}</p>
      {change.folder !== '' && (
        <p>
          <Code>{toVisible(change.folder)}</Code>
        </p>
      )}
      {change.problem !== null && <p className="text-failed">{toVisible(change.problem)}</p>}
    </li>
  )
}

async function undo(): Promise<void> {
  try {
    await undoReview()
    toast({ text: w.undone })
  } catch (problem) {
    const why = problem instanceof Error ? errorText(problem) : ''
    toast({ text: `${w.undoFailed} ${why}`, tone: 'failed' })
  }
}
