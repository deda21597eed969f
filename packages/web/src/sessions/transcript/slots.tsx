import type { PastAgent, PastMessage } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { Link } from '@tanstack/react-router'
import { memo, useEffect, useLayoutEffect, useRef } from 'react'
import { IconButton } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { ModelPips } from '../../design/model-pips.tsx'
import * as f from '../../format.ts'
import { agentName, modelFamily } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { PieceBlock } from './call.tsx'
import { Fold } from './fold.tsx'
import { pageNumber } from './pages.ts'
import { useReading } from './reading-context.ts'
import { keepPlace } from './scroll-position.ts'
import { MAIN } from './thread.ts'
import { callsIn, foldRuns, groupTurns, type Run, type Turn } from './turns.ts'
import { sumUsage, tokensText } from './usage.ts'
import { useNear } from './use-near.ts'

/** The number of messages that are drawn or skipped together. */
const SLOT = 100
/**
 * The estimated height of a message before it is drawn. It is low because results are shown with their calls
 * and take no height.
 */
const GUESS = 36

export const slotId = (agent: string, n: number): string => `slot-${agent}-${Math.floor(n / SLOT)}`

/** The messages of an agent in a range. Only those near the viewport are loaded and drawn. */
export function Slots(props: { readonly agent: string; readonly first: number; readonly last: number }) {
  const { agent, first, last } = props
  const from = Math.floor(first / SLOT)
  const slots = Array.from({ length: Math.max(0, Math.floor(last / SLOT) - from + 1) }, (_, i) => from + i)
  const most = Math.min(SLOT, last - first + 1)
  return slots.map((at) => <Slot key={at} agent={agent} at={at} most={most} />)
}

const Slot = memo(function Slot(props: {
  readonly agent: string
  readonly at: number
  readonly most: number
}) {
  const { agent, at } = props
  const { arranged, isRead, want, scroll } = useReading()
  const [box, { near, height }] = useNear(scroll)
  const page = pageNumber(at * SLOT)
  const isThere = isRead(page)
  useEffect(() => {
    if (near) want(page)
  }, [near, page, want])
  const id = slotId(agent, at * SLOT)
  const isDrawn = near && isThere
  const guess = height ?? props.most * GUESS
  const guessed = useRef(guess)
  useLayoutEffect(() => {
    const own = box.current
    if (!own || !scroll) return
    if (isDrawn) keepPlace(scroll, own, own.offsetHeight - guessed.current)
    guessed.current = guess
  }, [box, scroll, isDrawn, guess])
  if (!isDrawn)
    return (
      <div ref={box} id={id} data-unread="" className="text-12 text-text-3" style={{ height: guess }}>
        {near && words.transcript.readingMore}
      </div>
    )
  const thread = arranged.threads.get(agent)
  const entries = thread?.entries.filter(({ n }) => Math.floor(n / SLOT) === at) ?? []
  return (
    <div ref={box} id={id}>
      {thread &&
        groupTurns(entries).map((turn) => <TurnBlock key={turn[0]?.n} turn={turn} agent={thread.agent} />)}
    </div>
  )
})

const w = words.transcript
const NAME = 60

/** A turn of one agent: everything it said and did before someone else spoke. */
function TurnBlock({ turn, agent }: { readonly turn: Turn; readonly agent: PastAgent }) {
  const { target, host } = useReading()
  const [first] = turn
  if (!first) return null
  const { message } = first
  return (
    <article
      aria-label={speakerName(message, agent, host)}
      className={classes(
        'grid gap-x-2.5 py-2',
        agent.id === MAIN && 'grid-cols-[26px_minmax(0,1fr)] max-desk:grid-cols-1',
      )}
    >
      {agent.id === MAIN && (
        <span className="flex justify-center pt-0.5 max-desk:hidden">
          <Face message={message} size={20} />
        </span>
      )}
      <div className="flex min-w-0 flex-col gap-1.5">
        <TurnHead turn={turn} message={message} agent={agent} />
        {foldRuns(turn, target).map((piece) =>
          piece.kind === 'run' ? (
            <RunBlock key={`run-${piece.pieces[0]?.part.n}-${piece.pieces[0]?.part.at}`} run={piece} />
          ) : (
            <PieceBlock key={`${piece.part.n}-${piece.part.at}`} piece={piece} />
          ),
        )}
      </div>
    </article>
  )
}

function TurnHead(props: { readonly turn: Turn; readonly message: PastMessage; readonly agent: PastAgent }) {
  const { turn, message, agent } = props
  const { session, host, copy } = useReading()
  const { ts, state } = message
  const taken = state === 'compacted' ? w.compacted : state === 'rewound' ? w.rewound : null
  const took = sumUsage(turn.map((entry) => entry.message))
  return (
    <div className="group flex min-h-5 min-w-0 flex-wrap items-center gap-x-2 text-11 text-text-3">
      <span className="text-12 font-semibold text-text">{speakerName(message, agent, host)}</span>
      {message.model !== null && <span>{toVisibleLine(message.model, NAME)}</span>}
      {ts !== null && (
        <Link
          to="/"
          search={{ session, at: ts }}
          title={w.momentInLive(f.moment(ts))}
          className="hover:text-text hover:underline"
        >
          {f.clock(ts)}
        </Link>
      )}
      {taken !== null && <span className="rounded-tag border border-line-strong px-1">{taken}</span>}
      <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 touch:opacity-100">
        <IconButton
          icon="copy"
          kind="quiet"
          label={w.copyMessage}
          className="-my-1"
          onClick={() => copy(message.n)}
        />
      </span>
      {took !== null && (
        <span className="ml-auto" title={tokensText(took)}>
          {[...(took.output === null ? [] : [w.tokensOut(took.output)]), took.money].join(' · ')}
        </span>
      )}
    </div>
  )
}

/** The person on another computer may not be the reader, so the name includes the computer. */
function speakerName({ role }: PastMessage, agent: PastAgent, host: string | undefined): string {
  if (role === 'assistant') return toVisibleLine(agentName(agent), NAME)
  if (role !== 'user') return w.roles[role]
  if (agent.id !== MAIN) return w.task
  return host === undefined ? w.roles.user : w.personOn(toVisibleLine(host, NAME))
}

/** A row of calls behind one line. */
function RunBlock({ run }: { readonly run: Run }) {
  const [first] = run.pieces
  if (!first) return null
  return (
    <Fold
      id={`run-${first.part.n}-${first.part.at}`}
      of={first.entry.n}
      headClass="min-h-6! text-11! text-text-3"
      head={words.transcript.moreCalls(callsIn(run.pieces))}
    >
      {() => (
        <div className="flex flex-col gap-1.5 pt-1">
          {run.pieces.map((piece) => (
            <PieceBlock key={`${piece.part.n}-${piece.part.at}`} piece={piece} />
          ))}
        </div>
      )}
    </Fold>
  )
}

/** The speaker as a shape: the gold eye, a model's pips, a person, or a program. */
function Face({ message, size }: { readonly message: PastMessage; readonly size: number }) {
  if (message.role === 'assistant')
    return <ModelPips model={message.agent_id === MAIN ? 'main' : modelFamily(message.model)} size={size} />
  return (
    <svg
      className="shrink-0 text-text-2"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      aria-hidden="true"
    >
      {message.role === 'user' ? (
        <>
          <circle cx="10" cy="10" r="8.8" />
          <circle cx="10" cy="8" r="2.8" />
          <path d="M4.8 16.6c.9-2.6 2.9-3.9 5.2-3.9s4.3 1.3 5.2 3.9" />
        </>
      ) : (
        <>
          <rect x="2.5" y="3.5" width="15" height="13" rx="3" />
          <path d="m6 8 2.5 2-2.5 2M10.5 12.5h3.5" />
        </>
      )}
    </svg>
  )
}
