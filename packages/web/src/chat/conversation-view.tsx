import type { RuntimeHealth } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import type { RefObject } from 'react'
import { hasRole, isMine, useMe } from '../api/me.ts'
import { RequestFailure } from '../api/request.ts'
import { Button } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Strip } from '../design/strip.tsx'
import { errorText } from '../sessions/strips.tsx'
import { showFailure } from '../shell/show-failure.ts'
import { useIsCutOff } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { Composer } from './composer/composer.tsx'
import { EMPTY } from './composer/drafts.ts'
import { useAttach } from './composer/use-attach.ts'
import { isReady, runtimeTitle } from './runtimes.ts'
import { Start } from './start/start.tsx'
import { Announcer } from './thread/announcer.tsx'
import type { ThreadActions } from './thread/slots.tsx'
import { Thread } from './thread/thread.tsx'
import type { ChatView } from './use-chat-view.ts'
import type { MessageActions } from './use-send.ts'
import { findVisibleError } from './visible-error.ts'

const w = words.chat

/** Shows the messages of one conversation, or the start of a new one, and the composer. */
export function Talk(props: {
  readonly id: string | null
  readonly message: string | undefined
  readonly view: ChatView
  /** Whether the person may write in it. */
  readonly mayTell: boolean
  readonly sending: MessageActions
  readonly actions: ThreadActions
  readonly runtimes: readonly RuntimeHealth[]
  readonly areRuntimesLoaded: boolean
  readonly runtime: string | null
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly onFresh: () => void
}) {
  const { id, view, runtimes, runtime } = props
  const attach = useAttach(id ?? '')
  const own = runtimes.find((one) => one.id === runtime)
  const name = runtime === null ? w.composer.anyone : runtimeTitle(runtimes, runtime)
  // Before the first message the start view reports everything that is missing.
  const startShowsProblem = id === null && !runtimes.some(isReady)
  const problem = own && !isReady(own) && !startShowsProblem ? w.composer.notReady(name, own.detail) : null
  const me = useMe()
  const theirs = view.conversation && !isMine(view.conversation, me) ? view.conversation : undefined
  const mayWrite = hasRole(me, 'member')
  const isCutOff = useIsCutOff()
  const error = findVisibleError(view.error, isCutOff)
  const isGone = view.error instanceof RequestFailure && view.error.status === 404
  if (isGone)
    return (
      <Empty title={w.gone}>
        {mayWrite && (
          <div>
            <Button kind="main" onClick={props.onFresh}>
              {w.list.fresh}
            </Button>
          </div>
        )}
      </Empty>
    )
  return (
    <div className="relative flex min-h-0 flex-1 flex-col" {...attach.onDrag}>
      {error !== null && (
        <Strip alert glyph="failed" end={<Button onClick={view.retry}>{words.actions.tryAgain}</Button>}>
          {w.failed} {errorText(error)}
        </Strip>
      )}
      {view.isLost && !isCutOff && <Strip glyph="stuck">{w.lost}</Strip>}
      {id === null && !mayWrite ? (
        <Empty title={words.team.onlyReads(me?.space ?? '')}>
          <p className="text-text-2">{words.team.onlyReadsNext}</p>
        </Empty>
      ) : id === null ? (
        <Start
          runtimes={runtimes}
          areRuntimesLoaded={props.areRuntimesLoaded}
          name={name}
          onStart={(text) => props.sending.send({ ...EMPTY, text })}
        />
      ) : view.rows.length > 0 ? (
        <Thread
          conversation={id}
          rows={view.rows}
          message={props.message}
          sentAt={view.sentAt}
          actions={props.actions}
        />
      ) : (
        <div className="flex min-h-0 flex-1 items-center justify-center text-12 text-text-3">
          {view.conversation === undefined ? view.error === null && w.reading : w.nothingYet}
        </div>
      )}
      <Announcer run={view.run} name={runtimeTitle(runtimes, view.run?.runtime ?? null)} />
      {theirs && mayWrite && (
        <Strip glyph="unknown">
          {words.team.share.theirs(toVisibleLine(theirs.owner_name ?? words.team.share.somebody, 60))}
        </Strip>
      )}
      {!mayWrite && id !== null && (
        <Strip glyph="unknown">
          {words.team.onlyReads(me?.space ?? '')} {words.team.onlyReadsNext}
        </Strip>
      )}
      {props.mayTell && (
        <Composer
          id={id ?? ''}
          name={name}
          problem={problem}
          isRunning={view.isRunning}
          context={view.run?.context ?? null}
          attach={attach}
          field={props.field}
          onSend={props.sending.send}
          onStop={() => void view.stop().catch(showFailure)}
        />
      )}
      {attach.isOver && props.mayTell && (
        <div className="pointer-events-none absolute inset-2 z-10 flex items-center justify-center rounded-card border-2 border-dashed border-gold bg-surface/90 text-15 font-semibold">
          {w.composer.drop}
        </div>
      )}
    </div>
  )
}
