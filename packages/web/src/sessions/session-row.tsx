import type { AgentState, PastSession } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { memo } from 'react'
import { classes } from '../design/class-names.ts'
import { Glyph, StateGlyph } from '../design/glyph.tsx'
import { ModelPips } from '../design/model-pips.tsx'
import { Sparkline } from '../design/sparkline.tsx'
import * as f from '../format.ts'
import { modelFamily } from '../live/model/names.ts'
import { words } from '../words.ts'
import { costNote, sessionCostText } from './cost.ts'

const w = words.sessions
const TITLE = 120
const BARS = 14
const NOTE = 400

export const columns =
  'grid grid-cols-[minmax(140px,3fr)_minmax(70px,1fr)_88px_minmax(80px,1fr)_76px_66px_66px_50px_64px_minmax(64px,110px)] gap-x-3.5 px-4'

/** Includes the computer, for use with several computers. */
export const columnsOfMany =
  'grid grid-cols-[minmax(140px,3fr)_minmax(70px,1fr)_minmax(70px,1fr)_88px_minmax(80px,1fr)_76px_66px_66px_50px_64px_minmax(64px,90px)] gap-x-3 px-4'

interface RowProps {
  readonly id: string
  readonly index: number
  readonly session: PastSession
  readonly now: number
  readonly open: boolean
  readonly active: boolean
  /** The state of a running session. */
  readonly state: AgentState | undefined
  /** Shows a card of three lines, because the columns do not fit. */
  readonly card: boolean
  /** There are sessions of several computers. */
  readonly many: boolean
  readonly onOpen: (index: number) => void
}

export const pastSessionTitle = (session: PastSession): string =>
  toVisibleLine(session.title ?? session.id, TITLE)

export const SessionRow = memo(function SessionRow(props: RowProps) {
  const { session, state, now, open, active, card, many } = props
  return (
    <tr
      id={props.id}
      aria-rowindex={props.index + 2}
      aria-selected={open}
      onClick={() => props.onOpen(props.index)}
      className={classes(
        'relative w-full cursor-pointer border-b border-line',
        card
          ? 'flex h-17 flex-col justify-center px-3'
          : `h-8 items-center text-12 ${many ? columnsOfMany : columns}`,
        open ? 'bg-high shadow-[inset_3px_0_0_var(--gold)]' : active ? 'bg-raised' : 'hover:bg-raised',
      )}
    >
      {card ? (
        <Card session={session} state={state} now={now} many={many} />
      ) : (
        <Cells session={session} state={state} now={now} many={many} />
      )}
    </tr>
  )
})

interface Shown {
  readonly session: PastSession
  readonly state: AgentState | undefined
  readonly now: number
}

type CellsProps = Shown & { readonly many: boolean }

function Cells({ session, state, now, many }: CellsProps) {
  return (
    <>
      <td className="flex min-w-0 items-center gap-2 font-medium">
        <Mark session={session} state={state} />
        <span className="truncate" title={pastSessionTitle(session)}>
          {pastSessionTitle(session)}
        </span>
        <Tags session={session} />
      </td>
      <td className="truncate text-text-2">{short(session.project)}</td>
      {many && (
        <td className="truncate text-text-2" title={session.host}>
          {short(session.host ?? null)}
        </td>
      )}
      <td className="truncate text-text-2">{session.source}</td>
      <td className="truncate text-text-2" title={session.model ?? undefined}>
        {short(session.model)}
      </td>
      <td className="truncate text-right text-text-2">
        <When session={session} now={now} />
      </td>
      <td className="text-right text-text-2">{f.shortCount(session.messages)}</td>
      <td className="text-right text-text-2">{f.shortCount(session.tool_calls)}</td>
      <td className={classes('text-right', session.errors > 0 ? 'text-failed' : 'text-text-3')}>
        {session.errors > 0 ? `✕ ${f.shortCount(session.errors)}` : '0'}
      </td>
      <td>
        <Sparkline values={session.activity} label={w.activity} tall={BARS} />
      </td>
      <td className="truncate text-right font-medium" title={costNote(session.spent)}>
        {sessionCostText(session)}
      </td>
    </>
  )
}

function Card({ session, state, now, many }: CellsProps) {
  return (
    <>
      <td className="flex min-w-0 items-center gap-2">
        <Mark session={session} state={state} />
        <span className="min-w-0 flex-1 truncate font-semibold">{pastSessionTitle(session)}</span>
        <span className="text-11 text-text-3">
          <When session={session} now={now} />
        </span>
      </td>
      <td className="flex min-w-0 items-center gap-2 pl-5 text-11 text-text-3">
        <span className="min-w-0 flex-1 truncate">
          {[session.project, many ? session.host : null, session.source, session.model]
            .filter((part) => typeof part === 'string')
            .map((part) => toVisibleLine(part, TITLE))
            .join(' · ')}
        </span>
        <Tags session={session} />
      </td>
      <td className="flex min-w-0 items-center gap-2.5 pl-5 text-11 text-text-2">
        <span className="truncate">{w.messages(session.messages)}</span>
        {session.errors > 0 && (
          <span className="flex items-center gap-1 whitespace-nowrap text-failed">
            <Glyph name="failed" size={11} />
            {w.errors(session.errors)}
          </span>
        )}
        <span className="ml-auto flex">
          <Sparkline values={session.activity} label={w.activity} tall={BARS} />
        </span>
        <span
          className="min-w-12 text-right text-12 font-medium whitespace-nowrap text-text"
          title={costNote(session.spent)}
        >
          {sessionCostText(session)}
        </span>
      </td>
    </>
  )
}

function Tags({
  session: { tags, note, archived, prompts_only, source },
}: {
  readonly session: PastSession
}) {
  const [first, ...more] = tags
  return (
    <>
      {first !== undefined && (
        <span
          title={tags.join(', ')}
          className="max-w-24 shrink-0 truncate rounded-tag bg-high px-1.5 text-11 font-normal text-text-2"
        >
          {more.length > 0 ? w.tagAndMore(first, more.length) : first}
        </span>
      )}
      {prompts_only && (
        <span title={w.promptsOnlyNote(source)} className="shrink-0 text-11 font-normal text-text-3">
          {w.promptsOnly}
        </span>
      )}
      {archived && (
        <span title={w.archivedNote(source)} className="shrink-0 text-11 font-normal text-text-3">
          {w.archived}
        </span>
      )}
      {note !== null && (
        <span title={toVisibleLine(note, NOTE)} className="shrink-0 text-11 font-normal text-text-3">
          {w.hasNote}
        </span>
      )}
    </>
  )
}

/** Shows the state of a running session, else the model that answered most. */
function Mark({ session, state }: Omit<Shown, 'now'>) {
  if (state === undefined) return <ModelPips model={modelFamily(session.model)} size={12} />
  const word = words.live.states[state]
  return (
    <span title={word} className="flex">
      <StateGlyph state={state} outcome={null} size={13} />
      <span className="sr-only">{word}</span>
    </span>
  )
}

function When({ session, now }: Omit<Shown, 'state'>) {
  const ts = session.last_at ?? session.started_at
  return ts === null ? words.unknown : <span title={f.moment(ts)}>{words.ago(ts, now)}</span>
}

const short = (text: string | null): string => (text === null ? words.unknown : toVisibleLine(text, TITLE))
