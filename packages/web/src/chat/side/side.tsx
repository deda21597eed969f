import type { RuntimeHealth, StoredChatMessage } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { IconButton } from '../../design/button.tsx'
import { Icon } from '../../design/icon.tsx'
import * as f from '../../format.ts'
import { linkClass } from '../../ledger/place-link.tsx'
import { toSessionKey } from '../../live/data/agent-key.ts'
import { words } from '../../words.ts'
import { contextQuery } from '../queries.ts'
import type { RunView } from '../state/run-view.ts'
import { FactsDialog } from './facts-dialog.tsx'
import { Plan } from './plan.tsx'
import { RuntimeRows } from './runtime-rows.tsx'
import { Sent } from './sent-context.tsx'
import { toContextView } from './sent-context-view.ts'
import { SentDialog } from './sent-dialog.tsx'

const w = words.chat.side

/** The message whose context is shown: the newest or an older one. */
export interface Looked {
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
  readonly looked: Looked | null
  readonly onLook: (looked: Looked | null) => void
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
              of={looked === null ? null : w.ofMessage(f.clock(looked.ts).slice(0, 5))}
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
          <span className={linkClass}>{w.facts}</span>
        </button>
        {conversation !== null && run !== null && (
          <p className="flex min-h-6.5 items-center gap-2">
            <Icon name="live" size={14} />
            <span>
              {w.run}{' '}
              <Link
                to="/"
                search={{ session: toSessionKey({ source: 'panoptes', session_id: conversation }) }}
                className={linkClass}
              >
                {w.live}
              </Link>{' '}
              {w.and}{' '}
              <Link to="/ledger" search={{ tab: 'agents', session: conversation }} className={linkClass}>
                {w.ledger}
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
