import type { PastSession } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { Link } from '@tanstack/react-router'
import { useHasRole } from '../../api/me.ts'
import { ActionMenu } from '../../design/action-menu.tsx'
import { Button, buttonClass, IconButton } from '../../design/button.tsx'
import * as f from '../../format.ts'
import { makeTemplate } from '../../templates/make-dialog-state.ts'
import { words } from '../../words.ts'
import { costNote, outsideText, sessionCostText } from '../cost.ts'
import { pastSessionTitle } from '../session-row.tsx'
import { copySession } from './copy.ts'
import type { SessionRef } from './pages.ts'
import { sessionPath } from './pages.ts'

const w = words.transcript
const PART = 80

/** The title and facts of the open session, and its actions. */
export function Head(props: {
  readonly session: PastSession
  readonly sessionRef: SessionRef
  readonly liveKey: string
  readonly open: boolean
  readonly narrow: boolean
  readonly onFold: () => void
  readonly onFacts: () => void
  readonly onClose: () => void
}) {
  const { session, narrow } = props
  const mayMake = useHasRole('member')
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-5 py-2 max-desk:px-3">
      {narrow && <IconButton icon="left" kind="quiet" label={w.back} onClick={props.onClose} />}
      <div className="min-w-40 flex-1">
        <h2 className="truncate text-15 font-semibold" title={pastSessionTitle(session)}>
          {pastSessionTitle(session)}
        </h2>
        <p className="truncate text-11 text-text-3" title={costNote(session.spent)}>
          {sessionFacts(session).join(' · ')}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={props.onFold}>{props.open ? w.fold : w.unfold}</Button>
        <Button className="wide:hidden" onClick={props.onFacts}>
          {w.costs}
        </Button>
        <Link
          to="/"
          search={{ session: props.liveKey, ...(session.last_at === null ? {} : { at: session.last_at }) }}
          className={buttonClass()}
        >
          {w.live}
        </Link>
        {mayMake && <Button onClick={() => makeTemplate(session)}>{words.templates.make.button}</Button>}
        <ExportMenu sessionRef={props.sessionRef} />
        {!narrow && <IconButton icon="close" kind="quiet" label={w.close} onClick={props.onClose} />}
      </div>
    </header>
  )
}

function sessionFacts(session: PastSession): readonly string[] {
  const { started_at, last_at } = session
  const times =
    started_at === null ? null : last_at === null ? f.clock(started_at) : formatSpan(started_at, last_at)
  return [
    session.project,
    session.host === undefined ? null : w.on(session.host),
    session.source,
    times,
    sessionCostText(session),
    session.outside_micro_usd ? w.steps.outsideShort(outsideText(session.outside_micro_usd)) : null,
    words.sessions.toolCalls(session.tool_calls),
    session.model,
    session.git_branch === 'HEAD' ? null : session.git_branch,
  ]
    .filter((part) => part !== null)
    .map((part) => toVisibleLine(part, PART))
}

function formatSpan(from: number, to: number): string {
  const now = Date.now()
  const day = (ts: number) => (f.daysBetween(ts, now) === 0 ? '' : `${f.day(ts, now)}, `)
  const end = f.daysBetween(from, to) === 0 ? '' : day(to)
  const begun = `${day(from)}${f.clock(from).slice(0, 5)}`
  const ended = `${end}${f.clock(to).slice(0, 5)}`
  return begun.endsWith(ended) ? begun : `${begun}–${ended}`
}

/** Copies or downloads the session. */
function ExportMenu({ sessionRef }: { readonly sessionRef: SessionRef }) {
  const files = (['jsonl', 'markdown', 'html'] as const).map((format) => ({
    label: w.saveAs[format],
    icon: 'download' as const,
    note: w.redacted,
    href: `${sessionPath(sessionRef)}/export?format=${format}`,
  }))
  return (
    <ActionMenu
      label={w.export}
      groups={[[{ label: w.copy, icon: 'copy', run: () => void copySession(sessionRef) }], files]}
    />
  )
}
