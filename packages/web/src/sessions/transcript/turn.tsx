import type { PastAgent, PastMessage } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { IconButton } from '../../design/button.tsx'
import { classes } from '../../design/class.ts'
import * as f from '../../format.ts'
import { nameOf } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { oneLine } from '../plain.ts'
import { Face } from './face.tsx'
import { PieceBlock } from './piece.tsx'
import { useReading } from './reading.ts'
import { RunBlock } from './run.tsx'
import { foldRuns, type Turn } from './runs.ts'
import { MAIN } from './thread.ts'
import { tokensText, tookTogether } from './took.ts'

const w = words.transcript
const NAME = 60

/** What one agent said and did before someone else spoke: who, when, with what, and each part in its place. */
export function TurnBlock({ turn, agent }: { readonly turn: Turn; readonly agent: PastAgent }) {
  const { target, host } = useReading()
  const [first] = turn
  if (!first) return null
  const { message } = first
  return (
    <article
      aria-label={whoOf(message, agent, host)}
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
  const took = tookTogether(turn.map((entry) => entry.message))
  return (
    <div className="group flex min-h-5 min-w-0 flex-wrap items-center gap-x-2 text-11 text-text-3">
      <span className="text-12 font-semibold text-text">{whoOf(message, agent, host)}</span>
      {message.model !== null && <span>{oneLine(message.model, NAME)}</span>}
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
          {[w.tokensOut(took.output), took.money].join(' · ')}
        </span>
      )}
    </div>
  )
}

/** Whoever asked on another computer is not the one who reads. */
function whoOf({ role }: PastMessage, agent: PastAgent, host: string | undefined): string {
  if (role === 'assistant') return oneLine(nameOf(agent), NAME)
  if (role !== 'user') return w.roles[role]
  if (agent.id !== MAIN) return w.task
  return host === undefined ? w.roles.user : w.personOn(oneLine(host, NAME))
}
