import type { FoundMessage } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { Button } from '../design/button.tsx'
import { classes } from '../design/class-names.ts'
import { Strip } from '../design/strip.tsx'
import * as f from '../format.ts'
import { useKeys } from '../shell/use-keys.ts'
import { useNow } from '../shell/use-now.ts'
import { words } from '../words.ts'
import { groupHits, type HitGroup } from './hit-groups.ts'
import { errorText } from './strips.tsx'
import { MarkedWords, wordsIn } from './transcript/search-highlights.ts'
import { Highlighted } from './transcript/text.tsx'
import type { FoundHits } from './use-hits.ts'

const w = words.sessions.search
const TITLE = 120
const FIRST = 3
const MINUTE = 60_000

interface OpenHit {
  /** The open session and message. */
  readonly open: string | undefined
  readonly n: number | undefined
  readonly onOpen: (hit: FoundMessage) => void
}

/** Sessions with messages that contain all words, each with a snippet around the match. */
export function Hits(props: OpenHit & FoundHits & { readonly q: string }) {
  const { q, hits, error, more, onMore } = props
  const groups = useMemo(() => groupHits(hits ?? []), [hits])
  const marked = useMemo(() => wordsIn(q), [q])
  const list = useRef<HTMLOListElement>(null)
  const now = useNow(MINUTE)
  const step = (by: 1 | -1) => () => moveTo(list.current, by)
  useKeys(props.open === undefined ? { j: step(1), k: step(-1) } : {})
  if (error)
    return (
      <Strip alert glyph="failed" end={<Button onClick={props.onRetry}>{words.actions.tryAgain}</Button>}>
        {w.failed} {errorText(error)}
      </Strip>
    )
  if (hits === undefined) return <Strip>{w.searching}</Strip>
  if (hits.length === 0) return <Strip>{w.none}</Strip>
  return (
    <MarkedWords value={marked}>
      <ol
        ref={list}
        data-hits=""
        aria-label={w.label}
        className="min-h-0 flex-1 overflow-y-auto"
        onKeyDown={moveFocus}
        onScroll={({ currentTarget }) => more && isNearEnd(currentTarget) && onMore()}
      >
        {groups.map((group) => (
          <li key={group.key} className="border-b border-line">
            <Group group={group} now={now} {...props} />
          </li>
        ))}
        {more && (
          <li>
            <button
              type="button"
              className={`${rowClass} h-8 text-11 text-text-3 touch:h-11`}
              onClick={onMore}
            >
              {w.more}
            </button>
          </li>
        )}
      </ol>
    </MarkedWords>
  )
}

const NEAR = 400

const isNearEnd = ({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight < NEAR

function Group(props: OpenHit & { readonly group: HitGroup; readonly now: number }) {
  const { group, now, onOpen } = props
  const [all, setAll] = useState(false)
  const [best] = group.hits
  const isOpen = group.key === props.open
  const shown = all ? group.hits : group.hits.slice(0, FIRST)
  const rest = group.hits.length - shown.length
  return (
    <div className={classes('py-1.5', isOpen && 'bg-high shadow-[inset_3px_0_0_var(--gold)]')}>
      <button type="button" onClick={() => onOpen(best)} className={`${rowClass} py-0.5`}>
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate font-semibold">
            {toVisibleLine(best.title ?? best.session_id, TITLE)}
          </span>
          {best.ts !== null && (
            <span className="text-11 text-text-3" title={f.moment(best.ts)}>
              {words.ago(best.ts, now)}
            </span>
          )}
        </span>
        <span className="flex gap-2 text-11 text-text-3">
          <span className="min-w-0 flex-1 truncate">
            {[best.project, best.source, best.prompts_only ? words.sessions.promptsOnly : null]
              .filter((part) => part !== null)
              .map((part) => toVisibleLine(part, TITLE))
              .join(' · ')}
          </span>
          <span className="whitespace-nowrap">{w.hits(group.hits.length)}</span>
        </span>
      </button>
      <ul>
        {shown.map((hit) => (
          <li key={hit.n}>
            <HitRow hit={hit} open={isOpen && hit.n === props.n} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <button
          type="button"
          className={`${rowClass} h-6 text-11 text-text-3 touch:h-11`}
          onClick={() => setAll(true)}
        >
          {w.moreHits(rest)}
        </button>
      )}
    </div>
  )
}

const rowClass =
  'block w-full px-3.5 text-left hover:bg-raised focus-visible:-outline-offset-2 touch:min-h-11'

function HitRow(props: {
  readonly hit: FoundMessage
  readonly open: boolean
  readonly onOpen: (hit: FoundMessage) => void
}) {
  const { hit, open } = props
  return (
    <button
      type="button"
      aria-current={open ? 'true' : undefined}
      onClick={() => props.onOpen(hit)}
      className={classes(rowClass, 'py-0.5 text-12', open ? 'text-text' : 'text-text-2')}
    >
      <span className="line-clamp-2 [overflow-wrap:anywhere]">
        <span className="text-11 text-text-3">{words.transcript.roles[hit.role]} </span>
        {hit.snippet === null ? w.gone : <Highlighted text={toVisible(hit.snippet)} />}
      </span>
    </button>
  )
}

/** Arrow keys move between hits. */
function moveFocus(event: KeyboardEvent<HTMLOListElement>): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : null
  if (by === null) return
  moveTo(event.currentTarget, by)
  event.preventDefault()
}

function moveTo(list: HTMLOListElement | null, by: 1 | -1): void {
  const all = [...(list?.querySelectorAll('button') ?? [])]
  const at = all.indexOf(document.activeElement as HTMLButtonElement)
  all[at < 0 ? 0 : at + by]?.focus()
}
