import type { RuntimeHealth, StoredChatMessage } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, useState } from 'react'
import { ActionMenu } from '../../design/action-menu.tsx'
import { Button } from '../../design/button.tsx'
import { copyText } from '../../design/copy-button.tsx'
import { Glyph } from '../../design/glyph.tsx'
import { Icon } from '../../design/icon.tsx'
import * as f from '../../format.ts'
import { shortModel } from '../../ledger/plot/models.ts'
import { toSessionKey } from '../../live/data/agent-key.ts'
import { words } from '../../words.ts'
import { Caret, Markdown } from '../markdown/markdown.tsx'
import { runQuery } from '../queries.ts'
import { isReady, runtimeTitle } from '../runtimes.ts'
import { ServerText } from '../server-text.tsx'
import type { AnswerRow } from '../state/rows.ts'
import type { RunView } from '../state/run-view.ts'
import { isOver } from '../state/run-view.ts'
import { AskCard, ClosedAsk } from './ask-card.tsx'
import { Attached } from './attachments.tsx'
import { NodeRows, Since } from './node-rows.tsx'
import { answerDuration, endText, sourcesText } from './summaries.ts'
import { SMALL } from './user-message.tsx'

const w = words.chat.thread

export interface AnswerActions {
  readonly conversation: string
  readonly runtimes: readonly RuntimeHealth[]
  readonly isBusy: boolean
  /** Whether the person may fork a conversation here. */
  readonly mayFork: boolean
  /** Whether the person may write in this conversation. */
  readonly mayTell: boolean
  readonly onFork: (message: string) => void
  /** Shows the context that was sent with one of the person's messages. */
  readonly onSent: (to: string, ts: number) => void
  readonly onRetry: (to: string, runtime: string | null) => void
  readonly onAnswer: (request: string, choice: string) => Promise<void>
}

/** An answer: its runtime, time, duration and cost, its steps and its text. */
export const Answer = memo(function Answer({
  row,
  actions,
}: {
  readonly row: AnswerRow
  readonly actions: AnswerActions
}) {
  const { message, isRunning } = row
  const name = runtimeTitle(actions.runtimes, message.runtime)
  const [asksSteps, setAsksSteps] = useState(false)
  const past = useQuery({
    ...runQuery(actions.conversation, message.run_id ?? ''),
    enabled: asksSteps && row.run === null && message.run_id !== null,
  }).data
  const run = row.run ?? past ?? null
  const isStopped = !isRunning && (message.status === 'cancelled' || message.status === 'partial')
  return (
    <article
      id={`message-${message.id}`}
      aria-label={`${name}, ${f.clock(message.ts)}`}
      aria-busy={isRunning}
      className="group flex min-w-0 flex-col gap-1.5"
    >
      <header className="flex flex-wrap items-baseline gap-x-2 text-11 text-text-3">
        <span className="text-12 font-semibold text-text">{name}</span>
        <Meta message={message} run={row.run} isRunning={isRunning} />
        {isStopped && (
          <span className="rounded-tag border border-line-strong px-1 text-stuck">
            {endText(message, row.run)}
          </span>
        )}
      </header>
      <div className="flex max-w-160 min-w-0 flex-col gap-2">
        <Body message={message} run={run} isRunning={isRunning} />
      </div>
      {run?.asks.map((ask) =>
        ask.state === 'open' ? (
          <AskCard
            key={ask.id}
            ask={ask}
            name={name}
            mayAnswer={actions.mayTell}
            onAnswer={actions.onAnswer}
          />
        ) : (
          <ClosedAsk key={ask.id} ask={ask} />
        ),
      )}
      {!isRunning && <Attached message={message} areCallsShown={hasCalls(run)} />}
      {!isRunning && message.error !== null && <Failure row={row} error={message.error} actions={actions} />}
      {!isRunning && (
        <footer className="-ml-1.5 flex flex-wrap items-center">
          {message.content !== '' && (
            <Button
              kind="quiet"
              icon="copy"
              className={SMALL}
              onClick={() => void copyText(message.content, words.actions.copied)}
            >
              {w.copy}
            </Button>
          )}
          {actions.mayFork && (
            <Button kind="quiet" icon="fork" className={SMALL} onClick={() => actions.onFork(message.id)}>
              {w.fork}
            </Button>
          )}
          {row.to !== null && (
            <Button
              kind="quiet"
              icon="layers"
              className={SMALL}
              onClick={() => row.to !== null && actions.onSent(row.to, message.ts)}
            >
              {sourcesText(message, run)}
            </Button>
          )}
          {row.run === null && message.run_id !== null && !asksSteps && (
            <Button kind="quiet" icon="events" className={SMALL} onClick={() => setAsksSteps(true)}>
              {w.steps}
            </Button>
          )}
          <OwnSession message={message} />
          {row.to !== null && row.isLast && message.error === null && actions.mayTell && (
            <Button
              kind="quiet"
              icon="rotate"
              className={SMALL}
              disabled={actions.isBusy}
              onClick={() => row.to !== null && actions.onRetry(row.to, null)}
            >
              {w.retry}
            </Button>
          )}
        </footer>
      )}
    </article>
  )
})

const hasCalls = (run: RunView | null): boolean =>
  run !== null && [...run.nodes.values()].some(({ kind }) => kind === 'tool')

function Meta(props: {
  readonly message: StoredChatMessage
  readonly run: RunView | null
  readonly isRunning: boolean
}) {
  const { message, run, isRunning } = props
  const model = message.model === null ? null : shortModel(toVisibleLine(message.model, 60))
  const cost = message.cost_micro_usd
  const money = cost === null ? words.unknown : f.money(cost / 1_000_000)
  const took = answerDuration(message, run)
  return (
    <span>
      {model !== null && <span title={message.model ?? ''}>{model} · </span>}
      {isRunning ? (
        <>
          {w.answering} · <Since at={run?.startedAt ?? message.ts} />
          {cost !== null && ` · ${money}`}
        </>
      ) : (
        <>
          <span title={f.moment(message.ts)}>{f.clock(message.ts).slice(0, 5)}</span>
          {took !== null && ` · ${f.duration(took)}`}
          {' · '}
          <span title={cost === null ? w.moneyUnknown : undefined}>{money}</span>
        </>
      )}
    </span>
  )
}

function Body(props: {
  readonly message: StoredChatMessage
  readonly run: RunView | null
  readonly isRunning: boolean
}) {
  const { message, run, isRunning } = props
  const isWhole = run?.parts.some(({ kind }) => kind === 'nodes') ?? false
  if (message.content === '' && !isRunning && !isWhole) {
    if (message.error !== null) return null
    return (
      <p className="text-12 text-text-3">{message.status === 'cancelled' ? w.stoppedEarly : w.emptyAnswer}</p>
    )
  }
  if (!isWhole || run === null)
    return (
      <>
        {message.content !== '' && <Markdown text={message.content} isGrowing={isRunning} />}
        {isRunning && message.content === '' && <Thinking run={run} />}
      </>
    )
  const last = run.parts.length - 1
  return (
    <>
      {run.parts.map((part, i) =>
        part.kind === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
          <Markdown key={i} text={part.text} isGrowing={isRunning && i === last} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
          <NodeRows key={i} ids={part.ids} run={run} />
        ),
      )}
      {isRunning &&
        run.parts[last]?.kind === 'nodes' &&
        (run.text === '' ? <Thinking run={run} /> : <Caret />)}
    </>
  )
}

/** Links the session in which the runtime worked, if Panoptes can read it. */
function OwnSession({ message }: { readonly message: StoredChatMessage }) {
  const session = message.attachments.find(({ kind }) => kind === 'session')?.data
  if (!isPlainObject(session) || typeof session.source !== 'string' || typeof session.session_id !== 'string')
    return null
  const key = toSessionKey({ source: session.source, session_id: session.session_id })
  return (
    <Link
      to="/sessions"
      search={{ session: key }}
      className="inline-flex h-6.5 items-center gap-1.5 rounded-control px-1.5 text-11 text-text-3 hover:bg-high hover:text-text touch:h-11"
    >
      <Icon name="events" size={14} />
      {words.chat.thread.ownSession}
    </Link>
  )
}

/** Shows what the runtime does before its first word. */
function Thinking({ run }: { readonly run: RunView | null }) {
  const asks = run?.asks.some(({ state }) => state === 'open') ?? false
  if (asks) return null
  const step = run === null ? undefined : [...run.nodes.values()].findLast(({ status }) => !isOver(status))
  const label = step ? toVisibleLine(step.label, 80) : run?.context ? w.thinking : w.preparing
  return (
    <p className="flex items-center gap-2 text-12 text-text-2">
      <Glyph name="working" size={12} />
      {label}
      <span className="text-11 text-text-3">{run !== null && <Since at={run.startedAt} />}</span>
    </p>
  )
}

/** Says why an answer is missing or incomplete and what the person can do. */
function Failure(props: {
  readonly row: AnswerRow
  readonly error: { readonly code: string; readonly message: string }
  readonly actions: AnswerActions
}) {
  const { row, error, actions } = props
  const title = (w.errors as Readonly<Record<string, string>>)[error.code] ?? w.noAnswer
  const next = (w.errorsNext as Readonly<Record<string, string>>)[error.code]
  const others = actions.runtimes.filter((one) => one.id !== row.message.runtime && isReady(one))
  const { to } = row
  return (
    <div
      role="alert"
      className="flex max-w-160 flex-col gap-2 rounded-control border border-failed/60 bg-raised px-3 py-2.5"
    >
      <p className="flex items-center gap-2 font-semibold text-failed">
        <Glyph name="failed" size={14} />
        {title}
      </p>
      {error.message !== '' && (
        <p className="text-12 wrap-anywhere text-text-2">
          <ServerText text={error.message.slice(0, 2_000)} />
        </p>
      )}
      {next !== undefined && row.isLast && actions.mayTell && <p className="text-12 text-text-2">{next}</p>}
      {to !== null && row.isLast && actions.mayTell && (
        <div className="flex flex-wrap gap-2">
          <Button icon="rotate" disabled={actions.isBusy} onClick={() => actions.onRetry(to, null)}>
            {w.retry}
          </Button>
          {others.length > 0 && !actions.isBusy && (
            <ActionMenu
              label={w.otherRuntime}
              groups={[
                others.map((one) => ({
                  label: runtimeTitle(actions.runtimes, one.id),
                  note: words.chat.side.states[one.state],
                  run: () => actions.onRetry(to, one.id),
                })),
              ]}
            />
          )}
        </div>
      )}
    </div>
  )
}
