import type { RememberedFact, RuntimeHealth, StoredChatMessage } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useHasRole } from '../../api/me.ts'
import { Button, IconButton } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Glyph } from '../../design/glyph.tsx'
import { Icon } from '../../design/icon.tsx'
import { Strip } from '../../design/strip.tsx'
import { toast } from '../../design/toast.tsx'
import * as f from '../../format.ts'
import { linkClass } from '../../ledger/place-link.tsx'
import { toSessionKey } from '../../live/data/agent-key.ts'
import { errorText } from '../../sessions/strips.tsx'
import { runAction } from '../../shell/show-failure.ts'
import { useIsCutOff } from '../../stream/page-tail.ts'
import { words } from '../../words.ts'
import { conversationApi } from '../api/conversation-api.ts'
import { contextQuery, factsQuery, readFacts, runtimesQuery } from '../queries.ts'
import { isReady, runtimeGlyph, runtimeTitle } from '../runtimes.ts'
import { ServerText } from '../server-text.tsx'
import type { RunView } from '../state/run-view.ts'
import { findVisibleError } from '../visible-error.ts'
import { Plan } from './plan.tsx'
import { Section } from './section.tsx'
import { Sent, SentDialog } from './sent-context.tsx'
import { toContextView } from './sent-context-view.ts'

const w = words.chat
const LONGEST = 500

/** The message whose context is shown: the newest or an older one. */
export interface SelectedMessage {
  /** The person's message. */
  readonly message: string
  readonly ts: number
}

/** The panel beside the messages: the running plan, the context sent and the runtimes. */
export function Side(props: {
  readonly conversation: string | null
  readonly runtimes: readonly RuntimeHealth[]
  readonly run: RunView | null
  /** No run is active that would report it. */
  readonly isSettled: boolean
  readonly newest: StoredChatMessage | null
  /** Only its author may see the context that was sent. */
  readonly isMine: boolean
  readonly looked: SelectedMessage | null
  readonly onLook: (looked: SelectedMessage | null) => void
  readonly onClose: () => void
}) {
  const { conversation, run, looked } = props
  const [open, setOpen] = useState<'sent' | 'facts' | null>(null)
  const message = looked?.message ?? run?.userMessageId ?? props.newest?.id ?? null
  // If the run is loaded but reported no context, there was none.
  const isRead = looked !== null || run === null
  const query = useQuery({
    ...contextQuery(conversation ?? '', message ?? ''),
    enabled:
      props.isMine &&
      conversation !== null &&
      message !== null &&
      isRead &&
      (looked !== null || props.isSettled),
  })
  const whole = isRead ? query.data : undefined
  const context = isRead ? (whole ? toContextView(whole) : null) : (run?.context ?? null)
  const plan = (looked === null ? run?.plan : null) ?? whole?.plan ?? null
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <div className="flex justify-end px-2 pt-1.5 wide:hidden">
        <IconButton kind="quiet" icon="close" label={words.actions.close} onClick={props.onClose} />
      </div>
      {conversation !== null && (
        <>
          <Plan plan={plan} run={looked === null ? run : null} />
          {props.isMine && (
            <Sent
              context={context}
              of={looked === null ? null : w.side.ofMessage(f.clock(looked.ts).slice(0, 5))}
              isGone={query.error !== null}
              onLatest={() => props.onLook(null)}
              onOpen={message === null || context === null ? null : () => setOpen('sent')}
            />
          )}
        </>
      )}
      <RuntimeRows
        runtimes={props.runtimes}
        answering={run !== null && run.end === null ? run.runtime : null}
      />
      <div className="flex flex-col gap-1 px-4 py-2.5 text-11 text-text-2">
        <button
          type="button"
          className="flex min-h-6.5 items-center gap-2 text-left hover:text-text touch:min-h-11"
          onClick={() => setOpen('facts')}
        >
          <Icon name="agent" size={14} />
          <span className={linkClass}>{w.side.facts}</span>
        </button>
        {conversation !== null && run !== null && (
          <p className="flex min-h-6.5 items-center gap-2">
            <Icon name="live" size={14} />
            <span>
              {w.side.run}{' '}
              <Link
                to="/"
                search={{ session: toSessionKey({ source: 'panoptes', session_id: conversation }) }}
                className={linkClass}
              >
                {w.side.live}
              </Link>{' '}
              {w.side.and}{' '}
              <Link to="/ledger" search={{ tab: 'agents', session: conversation }} className={linkClass}>
                {w.side.ledger}
              </Link>
              .
            </span>
          </p>
        )}
      </div>
      {open === 'sent' && conversation !== null && message !== null && (
        <SentDialog conversation={conversation} message={message} onClose={() => setOpen(null)} />
      )}
      {open === 'facts' && <FactsDialog onClose={() => setOpen(null)} />}
    </div>
  )
}

/** The runtimes that can answer and, for the others, what they lack. */
function RuntimeRows(props: {
  readonly runtimes: readonly RuntimeHealth[]
  readonly answering: string | null
}) {
  const { runtimes, answering } = props
  const error = findVisibleError(useQuery(runtimesQuery).error, useIsCutOff())
  return (
    <Section title={w.side.runtimes}>
      {error !== null && (
        <p className="text-11 text-failed">
          {w.side.runtimesFailed} {errorText(error)}
        </p>
      )}
      <ul>
        {runtimes.map((one) => (
          <RuntimeRow
            key={one.id}
            one={one}
            title={runtimeTitle(runtimes, one.id)}
            isAnswering={one.id === answering}
          />
        ))}
      </ul>
    </Section>
  )
}

/** One line per runtime; details of what is missing open on demand. */
function RuntimeRow(props: {
  readonly one: RuntimeHealth
  readonly title: string
  readonly isAnswering: boolean
}) {
  const { one, isAnswering } = props
  const [isOpen, setIsOpen] = useState(false)
  const hasMore = !isReady(one) && one.detail !== ''
  const line = (
    <>
      <Glyph name={isAnswering ? 'working' : runtimeGlyph(one)} size={14} />
      <span className="min-w-0 flex-1 truncate">{props.title}</span>
      <span className="text-11 text-text-3">
        {isAnswering ? w.side.answering : w.side.over(w.side.states[one.state], one.transport)}
      </span>
    </>
  )
  if (!hasMore) return <li className="flex min-h-6.5 items-center gap-2 py-0.5 text-12">{line}</li>
  return (
    <li className="py-0.5">
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-5.5 w-full items-center gap-2 text-left text-12 touch:min-h-11"
        onClick={() => setIsOpen(!isOpen)}
      >
        {line}
        <span className="flex text-text-3">
          <Icon name={isOpen ? 'down' : 'right'} size={12} />
        </span>
      </button>
      {isOpen && (
        <p className="pl-5.5 text-11 wrap-anywhere text-text-3">
          <ServerText text={one.detail} />
        </p>
      )}
    </li>
  )
}

/** The facts that Panoptes remembers about the person, with ways to add and forget one. */
function FactsDialog({ onClose }: { readonly onClose: () => void }) {
  const { data, error, refetch } = useQuery(factsQuery)
  const mayChange = useHasRole('member')
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const add = () =>
    runAction(async () => {
      if (typed.trim() === '') return
      await conversationApi.remember(typed.trim())
      setTyped('')
      await readFacts()
    })
  return (
    <Dialog open onClose={onClose} title={w.facts.title} focus={field}>
      <p className="border-b border-line px-4 py-2 text-12 text-text-2">{w.facts.note}</p>
      {mayChange ? (
        <form
          className="flex gap-2 border-b border-line px-4 py-2.5"
          onSubmit={(event) => {
            event.preventDefault()
            void add()
          }}
        >
          <input
            ref={field}
            type="text"
            aria-label={w.facts.add}
            placeholder={w.facts.placeholder}
            maxLength={LONGEST}
            value={typed}
            className="h-7 min-w-0 flex-1 rounded-control border border-line-strong bg-surface px-2.5 text-12 placeholder:text-text-3 touch:h-11"
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button kind="main" type="submit" disabled={typed.trim() === ''}>
            {w.facts.add}
          </Button>
        </form>
      ) : (
        <p className="border-b border-line px-4 py-2 text-12 text-text-3">{words.team.forRole.member}</p>
      )}
      {error !== null && (
        <Strip
          alert
          glyph="failed"
          end={<Button onClick={() => void refetch()}>{words.actions.tryAgain}</Button>}
        >
          {errorText(error)}
        </Strip>
      )}
      {!data && error === null && <Strip>{w.facts.wait}</Strip>}
      {data?.facts.length === 0 && <p className="px-4 py-3 text-12 text-text-3">{w.facts.none}</p>}
      <ul className="min-h-0 flex-1 divide-y divide-line overflow-y-auto">
        {data?.facts.map((fact) => (
          <li key={fact.id} className="flex items-center gap-3 px-4 py-1.5 text-12">
            <span className="min-w-0 flex-1 wrap-anywhere">{toVisible(fact.text)}</span>
            <span className="text-11 whitespace-nowrap text-text-3" title={f.moment(fact.ts)}>
              {words.ago(fact.ts, Date.now())}
            </span>
            {mayChange && (
              <IconButton
                kind="quiet"
                icon="close"
                label={w.facts.forget(toVisibleLine(fact.text, 80))}
                onClick={() => void forget(fact)}
              />
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

const forget = ({ id, text }: RememberedFact): Promise<void> =>
  runAction(async () => {
    await conversationApi.forgetFact(id)
    await readFacts()
    const undo = () => void runAction(() => conversationApi.remember(text).then(readFacts))
    toast({ text: w.facts.forgotten, undo })
  })
