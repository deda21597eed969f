import type { FoundMessage } from '@panoptes/schema'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo } from 'react'
import { Button } from '../design/button.tsx'
import { classes } from '../design/class.ts'
import { Strip } from '../design/strip.tsx'
import * as f from '../format.ts'
import { sessionKeyOf } from '../live/data/key.ts'
import { useNow } from '../shell/use-now.ts'
import { words } from '../words.ts'
import { oneLine, seen } from './plain.ts'
import { MOST_HITS, searchQuery } from './queries.ts'
import { saidBy } from './strips.tsx'
import { MarkedWords, wordsIn } from './transcript/marks.ts'
import { Highlighted } from './transcript/text.tsx'

const w = words.sessions.search
const TITLE = 120
const MINUTE = 60_000

/** Messages with all the words, with the words around the first of them. An answer to older words is dropped. */
export function Hits(props: {
  readonly q: string
  readonly filter: string
  readonly open: string | undefined
  readonly n: number | undefined
  readonly onOpen: (hit: FoundMessage) => void
}) {
  const { q, filter, open, n, onOpen } = props
  const {
    data: hits,
    error,
    refetch,
  } = useQuery({
    ...searchQuery(q, filter),
    placeholderData: keepPreviousData,
  })
  const marked = useMemo(() => wordsIn(q), [q])
  const now = useNow(MINUTE)
  if (error)
    return (
      <Strip
        alert
        glyph="failed"
        end={<Button onClick={() => void refetch()}>{words.actions.tryAgain}</Button>}
      >
        {w.failed} {saidBy(error)}
      </Strip>
    )
  return (
    <>
      <Strip>
        {hits === undefined
          ? w.searching
          : hits.length === 0
            ? w.none
            : w.found(hits.length, sessionsIn(hits), MOST_HITS)}
      </Strip>
      <MarkedWords value={marked}>
        <ol aria-label={w.label} className="min-h-0 flex-1 overflow-y-auto" onKeyDown={moveFocus}>
          {hits?.map((hit) => (
            <li key={`${sessionKeyOf(hit)} ${hit.n}`} className="border-b border-line">
              <HitRow hit={hit} now={now} open={sessionKeyOf(hit) === open && hit.n === n} onOpen={onOpen} />
            </li>
          ))}
        </ol>
      </MarkedWords>
    </>
  )
}

function HitRow(props: {
  readonly hit: FoundMessage
  readonly now: number
  readonly open: boolean
  readonly onOpen: (hit: FoundMessage) => void
}) {
  const { hit, now, open } = props
  return (
    <button
      type="button"
      aria-current={open ? 'true' : undefined}
      onClick={() => props.onOpen(hit)}
      className={classes(
        'block w-full px-3 py-2 text-left focus-visible:-outline-offset-2',
        open ? 'bg-high shadow-[inset_3px_0_0_var(--gold)]' : 'hover:bg-raised',
      )}
    >
      <span className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-semibold">
          {oneLine(hit.title ?? hit.session_id, TITLE)}
        </span>
        {hit.ts !== null && (
          <span className="text-11 text-text-3" title={f.moment(hit.ts)}>
            {words.ago(hit.ts, now)}
          </span>
        )}
      </span>
      <span className="block truncate text-11 text-text-3">
        {[hit.project, hit.source, words.transcript.roles[hit.role], w.message(hit.n)]
          .filter((part) => part !== null)
          .map((part) => oneLine(part, TITLE))
          .join(' · ')}
      </span>
      <span className="line-clamp-2 text-12 text-text-2 [overflow-wrap:anywhere]">
        {hit.snippet === null ? w.gone : <Highlighted text={seen(hit.snippet)} />}
      </span>
    </button>
  )
}

/** Arrows go from hit to hit. */
function moveFocus(event: KeyboardEvent<HTMLOListElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const all = [...event.currentTarget.querySelectorAll('button')]
  all[all.indexOf(document.activeElement as HTMLButtonElement) + step]?.focus()
  event.preventDefault()
}

const sessionsIn = (hits: readonly FoundMessage[]): number => new Set(hits.map(sessionKeyOf)).size
