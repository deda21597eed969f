import type { RuntimeHealth, SessionSummary } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { useEffect, useRef, useState } from 'react'
import { isMine, may, useMe } from '../api/me.ts'
import { sessionsQuery } from '../api/queries.ts'
import { RequestFailure } from '../api/request.ts'
import { Button } from '../design/button.tsx'
import { CopyButton } from '../design/copy-button.tsx'
import { Empty } from '../design/empty.tsx'
import { Glyph } from '../design/glyph.tsx'
import { Icon } from '../design/icon.tsx'
import { Strip } from '../design/strip.tsx'
import { errorText } from '../sessions/strips.tsx'
import { oneLine } from '../sessions/visible-text.ts'
import { words } from '../words.ts'
import { Composer } from './composer/composer.tsx'
import { EMPTY } from './composer/drafts.ts'
import { useAttach } from './composer/use-attach.ts'
import { sayFailed } from './error-toast.ts'
import { isReady, runtimeGlyph, titleIn } from './runtimes.ts'
import { ServerText } from './server-text.tsx'
import type { RunView } from './state/run-view.ts'
import type { ThreadActions } from './thread/slots.tsx'
import { Thread } from './thread/thread.tsx'
import type { ChatView } from './use-chat-view.ts'
import type { Sending } from './use-send.ts'
import { findVisibleError, useIsCutOff } from './visible-error.ts'

const w = words.chat
const LONGEST = 400

/** Shows the messages of one conversation, or the start of a new one, and the composer. */
export function Talk(props: {
  readonly id: string | null
  readonly message: string | undefined
  readonly view: ChatView
  /** Whether the person may write in it. */
  readonly mayTell: boolean
  readonly sending: Sending
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
  const name = runtime === null ? w.composer.anyone : titleIn(runtimes, runtime)
  // Before the first message the start view reports everything that is missing.
  const startShowsProblem = id === null && !runtimes.some(isReady)
  const problem = own && !isReady(own) && !startShowsProblem ? w.composer.notReady(name, own.detail) : null
  const me = useMe()
  const theirs = view.conversation && !isMine(view.conversation, me) ? view.conversation : undefined
  const mayWrite = may(me, 'member')
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
      <Announcer run={view.run} name={titleIn(runtimes, view.run?.runtime ?? null)} />
      {theirs && mayWrite && (
        <Strip glyph="unknown">
          {words.team.share.theirs(oneLine(theirs.owner_name ?? words.team.share.somebody, 60))}
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
          onStop={() => void view.stop().catch(sayFailed)}
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

/** Before the first message: three suggestions, or what to set up. */
function Start(props: {
  readonly runtimes: readonly RuntimeHealth[]
  readonly areRuntimesLoaded: boolean
  readonly name: string
  readonly onStart: (text: string) => void
}) {
  const { runtimes } = props
  const sessions = useQuery(sessionsQuery).data
  if (props.areRuntimesLoaded && !runtimes.some(isReady)) return <NotReady runtimes={runtimes} />
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex min-h-full max-w-150 flex-col justify-center gap-5 px-6 py-8 max-desk:px-4">
        <div className="flex flex-col gap-1.5">
          <h3 className="text-18 font-semibold">{w.empty.title}</h3>
          <p className="text-text-2">{w.empty.note(props.name)}</p>
        </div>
        <section aria-label={w.empty.starters}>
          <h4 className="pb-1.5 text-11 font-semibold text-text-3">{w.empty.starters}</h4>
          <ul className="flex flex-col gap-1.5">
            {starterQuestions(sessions ?? []).map((text) => (
              <li key={text}>
                <button
                  type="button"
                  className="flex w-full items-center gap-3 rounded-control border border-line bg-raised px-3 py-2 text-left transition-colors hover:border-line-strong hover:bg-high touch:min-h-11"
                  onClick={() => props.onStart(text)}
                >
                  <span className="flex-1">{text}</span>
                  <span className="text-text-3">
                    <Icon name="right" size={14} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </div>
  )
}

function NotReady({ runtimes }: { readonly runtimes: readonly RuntimeHealth[] }) {
  return (
    <Empty title={w.empty.noRuntime} eye>
      <p className="text-text-2">{runtimes.length === 0 ? w.empty.noneFound : w.empty.noRuntimeNote}</p>
      <ul className="flex flex-col gap-2">
        {runtimes.map((one) => (
          <li key={one.id} className="flex gap-2 text-12">
            <span className="pt-0.5">
              <Glyph name={runtimeGlyph(one)} size={14} />
            </span>
            <span className="min-w-0">
              <b className="font-semibold">{titleIn(runtimes, one.id)}</b>{' '}
              <span className="text-text-3">{words.chat.side.states[one.state]}</span>
              {one.detail !== '' && (
                <span className="block wrap-anywhere text-text-2">
                  <ServerText text={one.detail} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <section aria-label={w.empty.health} className="flex flex-col gap-1">
        <h3 className="text-11 font-semibold text-text-3">{w.empty.health}</h3>
        <p className="text-12 text-text-2">{w.empty.healthNote}</p>
        <div className="relative rounded-control border border-line bg-app">
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
            tabIndex={0}
            className="scroll-cue overflow-x-auto rounded-control px-3 py-2 text-12 text-text"
          >
            {CONFIG}
          </pre>
          <span className="absolute top-1 right-1">
            <CopyButton text={CONFIG} iconOnly kind="quiet" />
          </span>
        </div>
      </section>
    </Empty>
  )
}

/** One example per kind, to be added to the existing config. */
const CONFIG = `providers:
  local: { kind: openai, base_url: http://127.0.0.1:11434/v1 }
runtimes:
  default: jarvis
  jarvis: { provider: local, model: name-of-a-model }
  hermes:
    url: http://127.0.0.1:8642
    api_key_env: API_SERVER_KEY
  acp:
    claude:
      command: [npx, "@agentclientprotocol/claude-agent-acp"]
`

/** Suggests three questions about the most recent projects, or general ones if there are none. */
export function starterQuestions(sessions: readonly SessionSummary[]): readonly string[] {
  const latest = [...sessions].sort((a, b) => b.last_at - a.last_at)
  const projects = [...new Set(latest.flatMap(({ project }) => (project ? [oneLine(project, 40)] : [])))]
  if (projects.length === 0) return w.empty.general
  return w.empty.starter.map((ask, i) => ask(projects[i % projects.length] ?? ''))
}

/** Tells screen readers when a run starts, asks and ends, but not each piece of its text. */
export function announced(run: RunView | null, name: string): string {
  if (run === null) return ''
  const ask = run.asks.findLast(({ state }) => state === 'open')
  if (ask) return w.announce.asks(name, oneLine(ask.label, LONGEST))
  if (run.end === null) return w.announce.answering(name)
  if (run.end.kind === 'failed') return w.announce.failed(name, oneLine(run.end.message ?? '', LONGEST))
  if (run.end.kind === 'cancelled') return w.announce.stopped(name)
  return w.announce.done(name, oneLine(run.text, LONGEST))
}

/** Runs that ended before the page was opened are not announced. */
function Announcer({ run, name }: { readonly run: RunView | null; readonly name: string }) {
  const [announcement, setAnnouncement] = useState('')
  const seen = useRef<string | null>(null)
  useEffect(() => {
    if (run === null) return
    if (run.end === null) seen.current = run.runId
    if (seen.current === run.runId) setAnnouncement(announced(run, name))
  }, [run, name])
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {announcement}
    </p>
  )
}
