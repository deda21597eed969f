import type { RuntimeHealth, StoredChatMessage } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { memo, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { copyText } from '../../design/copy-button.tsx'
import * as f from '../../format.ts'
import { shortModel } from '../../ledger/plot/models.ts'
import { oneLine } from '../../sessions/plain.ts'
import { words } from '../../words.ts'
import { Caret, Markdown } from '../markdown/markdown.tsx'
import { runQuery } from '../queries.ts'
import { titleIn } from '../runtimes.ts'
import type { AnswerRow } from '../state/rows.ts'
import type { RunView } from '../state/run-view.ts'
import { AskCard, AskedLine } from './ask-card.tsx'
import { Attached } from './attached.tsx'
import { endOf, sourcesOf, tookOf } from './ends.ts'
import { Failure } from './failure.tsx'
import { NodeRows, Since } from './node-rows.tsx'
import { OwnSession } from './own-session.tsx'
import { Thinking } from './thinking.tsx'
import { SMALL } from './user-message.tsx'

const w = words.chat.thread

export interface AnswerActions {
  readonly conversation: string
  readonly runtimes: readonly RuntimeHealth[]
  readonly isBusy: boolean
  /** Whether they may begin a conversation of their own from here. */
  readonly mayFork: boolean
  /** Whether they may say something in this one. */
  readonly mayTell: boolean
  readonly onFork: (message: string) => void
  /** Shows what was sent with a message of the person's. */
  readonly onSent: (to: string, ts: number) => void
  readonly onRetry: (to: string, runtime: string | null) => void
  readonly onAnswer: (request: string, choice: string) => Promise<void>
}

/** What a runtime answered: who, when, for how long and for what money; what it did, and its words. */
export const Answer = memo(function Answer({
  row,
  actions,
}: {
  readonly row: AnswerRow
  readonly actions: AnswerActions
}) {
  const { message, isRunning } = row
  const name = titleIn(actions.runtimes, message.runtime)
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
            {endOf(message, row.run)}
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
          <AskedLine key={ask.id} ask={ask} />
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
              {sourcesOf(message, run)}
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
  const model = message.model === null ? null : shortModel(oneLine(message.model, 60))
  const cost = message.cost_micro_usd
  const money = cost === null ? words.unknown : f.money(cost / 1_000_000)
  const took = tookOf(message, run)
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
      <p className="text-12 text-text-3">{message.status === 'cancelled' ? w.stoppedEarly : w.nothingSaid}</p>
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
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
          <Markdown key={i} text={part.text} isGrowing={isRunning && i === last} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
          <NodeRows key={i} ids={part.ids} run={run} />
        ),
      )}
      {isRunning &&
        run.parts[last]?.kind === 'nodes' &&
        (run.text === '' ? <Thinking run={run} /> : <Caret />)}
    </>
  )
}
