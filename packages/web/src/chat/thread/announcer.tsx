import { toVisibleLine } from '@panoptes/schema/shown'
import { useEffect, useRef, useState } from 'react'
import { words } from '../../words.ts'
import type { RunView } from '../state/run-view.ts'

const w = words.chat.announce
const LONGEST = 400

/** Tells screen readers when a run starts, asks and ends, but not each piece of its text. */
export function announcementText(run: RunView | null, name: string): string {
  if (run === null) return ''
  const ask = run.asks.findLast(({ state }) => state === 'open')
  if (ask) return w.asks(name, toVisibleLine(ask.label, LONGEST))
  if (run.end === null) return w.answering(name)
  if (run.end.kind === 'failed') return w.failed(name, toVisibleLine(run.end.message ?? '', LONGEST))
  if (run.end.kind === 'cancelled') return w.stopped(name)
  return w.done(name, toVisibleLine(run.text, LONGEST))
}

/** Runs that ended before the page was opened are not announced. */
export function Announcer({ run, name }: { readonly run: RunView | null; readonly name: string }) {
  const [announcement, setAnnouncement] = useState('')
  const seen = useRef<string | null>(null)
  useEffect(() => {
    if (run === null) return
    if (run.end === null) seen.current = run.runId
    if (seen.current === run.runId) setAnnouncement(announcementText(run, name))
  }, [run, name])
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {announcement}
    </p>
  )
}
