import { clamp } from '@panoptes/schema/numbers'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { WordsField } from '../../design/search-field.tsx'
import { Strip } from '../../design/strip.tsx'
import { pastSessionsQuery } from '../../sessions/queries.ts'
import { errorText } from '../../sessions/strips.tsx'
import { useHits } from '../../sessions/use-hits.ts'
import { oneLine } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'
import type { Origin } from '../make-dialog-state.ts'
import { buildChoices, type Choice } from './choices.ts'

const w = words.templates.make
const LONGEST = 120
/** Enough sessions to fill the list. */
const FULL = 20

/** Lists the newest sessions, or those that match the typed words. */
export function PickSession({ onPick }: { readonly onPick: (origin: Origin) => void }) {
  const [q, setQ] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const sessions = useInfiniteQuery(pastSessionsQuery(''))
  const { hits, error } = useHits(q.trim(), '')
  const pastSessions = useMemo(() => sessions.data?.pages.flat() ?? [], [sessions.data])
  const choices = useMemo(() => buildChoices(pastSessions, hits ?? [], q), [pastSessions, hits, q])
  const { hasNextPage, isFetching, fetchNextPage } = sessions
  // The newest sessions may have no tool calls, so more pages are loaded until the list is full.
  const isShort = q.trim() === '' && choices.length < FULL && hasNextPage
  useEffect(() => {
    if (isShort && !isFetching) void fetchNextPage()
  }, [isShort, isFetching, fetchNextPage])
  const failure = sessions.error ?? error
  const isReading = sessions.isPending || isShort || (q.trim() !== '' && hits === undefined && error === null)
  return (
    <>
      <div className="flex flex-col gap-2 px-4 pt-3 pb-2">
        <p className="text-12 text-text-2">{w.choose}</p>
        <WordsField
          label={w.search}
          text={q}
          input={input}
          onChange={(text) => setQ(text ?? '')}
          onDone={() => list.current?.querySelector('button')?.focus()}
          end=""
          className="flex-none basis-auto"
        />
      </div>
      {failure !== null && (
        <Strip alert glyph="failed">
          {w.failed} {errorText(failure)}
        </Strip>
      )}
      {failure === null && choices.length === 0 && (
        <Strip>{isReading ? w.searching : q.trim() === '' ? w.empty : w.none}</Strip>
      )}
      <ul
        ref={list}
        aria-label={w.list}
        onKeyDown={moveFocus}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-2"
      >
        {choices.map((choice) => (
          <li key={`${choice.source} ${choice.id}`}>
            <ChoiceRow choice={choice} onPick={onPick} />
          </li>
        ))}
      </ul>
    </>
  )
}

function ChoiceRow({ choice, onPick }: { readonly choice: Choice; readonly onPick: (one: Origin) => void }) {
  return (
    <button
      type="button"
      className="flex w-full items-center gap-3 rounded-control px-2 py-1 text-left hover:bg-high focus-visible:bg-high focus-visible:-outline-offset-2 touch:min-h-11"
      onClick={() => onPick(choice)}
    >
      <span className="min-w-0 flex-1">
        <span className="block truncate text-12 font-medium">
          {oneLine(choice.title ?? choice.id, LONGEST)}
        </span>
        <span className="block truncate text-11 text-text-3">
          {[choice.project, choice.source]
            .filter((part) => part !== null)
            .map((part) => oneLine(part, LONGEST))
            .join(' · ')}
        </span>
      </span>
      {choice.calls !== null && (
        <span className="text-11 whitespace-nowrap text-text-2">
          {words.sessions.toolCalls(choice.calls)}
        </span>
      )}
      {choice.at !== null && (
        <span className="w-18 text-right text-11 whitespace-nowrap text-text-3">
          {words.ago(choice.at, Date.now())}
        </span>
      )}
    </button>
  )
}

function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (by === undefined) return
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.findIndex((one) => one.matches(':focus'))
  buttons[clamp(at + by, 0, buttons.length - 1)]?.focus()
  event.preventDefault()
}
