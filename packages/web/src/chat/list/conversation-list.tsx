import type { RuntimeHealth } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { Link } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'
import { useHasRole } from '../../api/me.ts'
import { Button, IconButton } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { Glyph } from '../../design/glyph.tsx'
import { Icon } from '../../design/icon.tsx'
import { WordsField } from '../../design/search-field.tsx'
import * as f from '../../format.ts'
import { errorText } from '../../sessions/strips.tsx'
import { useNow } from '../../shell/use-now.ts'
import { useIsCutOff } from '../../stream/page-tail.ts'
import { words } from '../../words.ts'
import type { FoundConversation } from '../api/conversation-api.ts'
import type { ChatSearch } from '../search-params.ts'
import { findVisibleError } from '../visible-error.ts'
import { endStatus, formatWhen, runtimeText } from './row-text.ts'
import type { Conversations } from './use-conversations.ts'

const w = words.chat.list
const QUARTER = 15_000

/** Lists all conversations, most recently changed first. Typed text searches titles and messages. */
export function ConversationList(props: {
  readonly list: Conversations
  readonly search: ChatSearch
  readonly runtimes: readonly RuntimeHealth[]
  readonly find: RefObject<HTMLInputElement | null>
  readonly onFind: (text: string | undefined) => void
  readonly onFresh: () => void
  readonly onOpen: () => void
}) {
  const { list, search } = props
  const { rows } = list
  const now = useNow(QUARTER)
  const mayWrite = useHasRole('member')
  const box = useRef<HTMLUListElement>(null)
  useOpenInView(box, search.c, rows)
  const error = findVisibleError(list.error, useIsCutOff())
  return (
    <>
      <search
        aria-label={w.find}
        className="flex shrink-0 items-center gap-2 border-b border-line px-3 py-2.5"
      >
        <WordsField
          label={w.find}
          text={search.q ?? ''}
          onChange={props.onFind}
          input={props.find}
          className="min-w-0! basis-0!"
        />
        {mayWrite && <IconButton kind="main" icon="plus" label={w.fresh} onClick={props.onFresh} />}
      </search>
      {error !== null && (
        <div role="alert" className="flex flex-col gap-2 px-3 py-2 text-12 text-failed">
          {w.failed} {errorText(error)}
          <span>
            <Button onClick={list.onRetry}>{words.actions.tryAgain}</Button>
          </span>
        </div>
      )}
      {rows === undefined && list.error === null && <Ghosts />}
      {rows?.length === 0 && (
        <div className="flex flex-col items-start gap-2 px-3 py-3 text-12 text-text-3">
          {search.q === undefined ? w.none : w.noMatch}
          {search.q !== undefined && <Button onClick={() => props.onFind(undefined)}>{w.clear}</Button>}
        </div>
      )}
      {rows !== undefined && rows.length > 0 && (
        <ul ref={box} aria-label={w.label} className="min-h-0 flex-1 overflow-y-auto">
          {rows.map((one) => (
            <Row
              key={one.id}
              one={one}
              q={search.q}
              isOpen={one.id === search.c}
              by={runtimeText(one, props.runtimes)}
              when={formatWhen(one.updated_at, now)}
              onOpen={props.onOpen}
            />
          ))}
          {list.onMore !== null && (
            <li className="p-2">
              <Button kind="quiet" onClick={list.onMore}>
                {w.more}
              </Button>
            </li>
          )}
        </ul>
      )}
    </>
  )
}

function Row(props: {
  readonly one: FoundConversation
  readonly q: string | undefined
  readonly isOpen: boolean
  readonly by: string
  readonly when: string
  readonly onOpen: () => void
}) {
  const { one, isOpen, q } = props
  const { found } = one
  const ended = endStatus(one)
  return (
    <li className="border-b border-line">
      <Link
        to="/chat"
        search={{ c: one.id, ...(found ? { m: found.message_id } : {}), ...(q === undefined ? {} : { q }) }}
        data-conversation={one.id}
        aria-current={isOpen ? 'page' : undefined}
        className={classes(
          'block border-l-3 px-3 py-2 transition-colors focus-visible:-outline-offset-2',
          isOpen ? 'border-gold bg-high' : 'border-transparent hover:bg-raised',
        )}
        onClick={props.onOpen}
      >
        <span className="block truncate text-12 font-semibold">
          {toVisibleLine(one.title, 120) || words.chat.untitled}
        </span>
        <span className="flex items-center gap-1.5 text-11 text-text-3">
          {one.run_id !== null && <Glyph name="working" size={10} />}
          <span className="min-w-0 flex-1 truncate">
            {one.run_id !== null ? w.answering : one.runtime === null ? w.unanswered : props.by}
          </span>
          {ended !== null && (
            <span className="flex items-center gap-1">
              <Glyph name={ended.glyph} size={10} />
              {ended.word}
            </span>
          )}
          {one.shared && (
            <span className="flex items-center gap-1" title={one.owner_name}>
              <Icon name="people" size={10} />
              {words.team.share.shared}
            </span>
          )}
          {one.forked_from !== null && (
            <span className="flex items-center gap-1">
              <Icon name="fork" size={10} />
              {w.fork}
            </span>
          )}
          <span className="whitespace-nowrap" title={f.moment(one.updated_at)}>
            {props.when}
          </span>
        </span>
        {found !== null && (
          <span className="line-clamp-2 pt-0.5 text-11 wrap-anywhere text-text-2">
            {toVisibleLine(found.snippet, 200)}
          </span>
        )}
      </Link>
    </li>
  )
}

/** Scrolls to a conversation when it is opened or created, and then leaves the scroll position alone. */
function useOpenInView(
  box: RefObject<HTMLElement | null>,
  id: string | undefined,
  rows: readonly { readonly id: string }[] | undefined,
): void {
  const shown = useRef<string | undefined>(undefined)
  const isListed = id !== undefined && (rows?.some((one) => one.id === id) ?? false)
  useEffect(() => {
    if (!isListed) shown.current = undefined
    if (!isListed || shown.current === id) return
    shown.current = id
    box.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [box, id, isListed])
}

const Ghosts = () => (
  <div role="status" className="flex flex-col gap-4 px-3 py-3">
    <span className="sr-only">{w.wait}</span>
    {[0, 1, 2].map((at) => (
      <span key={at} aria-hidden="true" className="flex flex-col gap-2">
        <span className="h-2.5 w-36 rounded-tag bg-high" />
        <span className="h-2 w-20 rounded-tag bg-high" />
      </span>
    ))}
  </div>
)
