import type { OutlinedAgent, PastAgent } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import type { ReactNode } from 'react'
import { classes } from '../../design/class-names.ts'
import { Glyph } from '../../design/glyph.tsx'
import { ModelPips } from '../../design/model-pips.tsx'
import * as f from '../../format.ts'
import { agentName, modelFamily } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { costNote, costText } from '../cost.ts'
import { Fold } from './fold.tsx'
import { useReading } from './reading-context.ts'
import { Slots } from './slots.tsx'

const w = words.transcript
const LINE = 120
const edges = { haiku: 'border-haiku', sonnet: 'border-sonnet', opus: 'border-opus', other: 'border-other' }

/** A sub-agent under the call that created it, folded until it is opened. */
export function AgentBlock(props: {
  readonly agent: PastAgent
  /** The call that created it. */
  readonly call?: ReactNode
  /** Whether that call failed. */
  readonly failed?: boolean
}) {
  const { agent, failed = false } = props
  const { agents, above } = useReading()
  const outline = agents.get(agent.id)
  const errors = outline?.errors ?? 0
  return (
    <Fold
      id={`agent-${agent.id}-${above.has(agent.id)}`}
      open={above.has(agent.id)}
      className={classes(
        'rounded-control border border-dashed',
        failed ? 'border-failed/60' : 'border-line-strong',
      )}
      headClass="min-h-8!"
      head={
        <>
          <ModelPips model={modelFamily(outline?.model ?? null)} size={14} />
          <span className="max-w-1/2 truncate font-semibold">{toVisibleLine(agentName(agent), LINE)}</span>
          <span className="min-w-0 flex-1 truncate text-text-3">{agentSummary(agent, outline)}</span>
          {(failed || errors > 0) && (
            <span className="flex items-center gap-1 whitespace-nowrap text-failed">
              <Glyph name="failed" size={12} />
              {failed ? w.callFailed : words.sessions.errors(errors)}
            </span>
          )}
          <span
            className="min-w-12 text-right text-11 whitespace-nowrap text-text-3"
            title={costNote(agent.spent)}
          >
            {costText(agent.spent)}
          </span>
        </>
      }
    >
      {() => <AgentBody agent={agent} outline={outline} call={props.call} />}
    </Fold>
  )
}

function agentSummary(agent: PastAgent, outline: OutlinedAgent | undefined): string {
  const from = outline?.started_at ?? null
  const to = outline?.last_at ?? null
  return [
    agent.description,
    outline?.model ?? null,
    w.agent,
    from === null || to === null ? null : f.duration(Math.max(0, to - from)),
    outline ? words.sessions.toolCalls(outline.tool_calls) : null,
  ]
    .filter((part) => part !== null)
    .map((part) => toVisibleLine(part, LINE))
    .join(' · ')
}

function AgentBody(props: {
  readonly agent: PastAgent
  readonly outline: OutlinedAgent | undefined
  readonly call: ReactNode
}) {
  const { agent, outline } = props
  const first = outline?.first ?? null
  const last = outline?.last ?? null
  const isEmpty = outline !== undefined && first === null
  return (
    <div className={classes('mr-2 mb-2 ml-4 border-l-2 pl-3.5', edges[modelFamily(outline?.model ?? null)])}>
      {props.call}
      {isEmpty && <p className="py-1 text-12 text-text-3">{w.agentEmpty}</p>}
      {!outline && <p className="py-1 text-12 text-text-3">{w.readingMore}</p>}
      {first !== null && last !== null && <Slots agent={agent.id} first={first} last={last} />}
      <LooseAgents of={agent.id} />
    </div>
  )
}

/** Agents whose call is missing from the session. */
export function LooseAgents({ of }: { readonly of: string }) {
  const { loose } = useReading()
  const agents = loose.get(of) ?? []
  if (agents.length === 0) return null
  return (
    <div className="flex flex-col gap-2 py-2">
      <p className="text-11 text-text-3">{w.loose}</p>
      {agents.map((agent) => (
        <AgentBlock key={agent.id} agent={agent} />
      ))}
    </div>
  )
}
